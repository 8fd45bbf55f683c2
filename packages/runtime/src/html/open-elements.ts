import type { HtmlAttributes } from "./tokens.ts";

/** Called when an element ends. */
export type ElementEnd = (() => void) | undefined;
export type Opener = (name: string, attributes: HtmlAttributes) => ElementEnd;

/** Deeper elements are left out, and their content belongs to the last one. */
const MAX_DEPTH = 512;

export const BLOCKS = words(
  "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table title ul",
);
const VOID = words("area base br col embed hr img input link meta param source track wbr");
/** Elements that may overlap with others. */
const FORMATS = words("a b big code em font i s small strike strong tt u");
const HEADINGS = words("h1 h2 h3 h4 h5 h6");
const CELLS = words("td th");
const TABLE = words("table");
const TABLE_PARTS = words("caption table tbody td tfoot th thead tr");
/** Elements within which an end tag looks for its start, unless it ends a part of the table. */
const END_SCOPE = words("caption table td th");
const PARAGRAPH = words("p");
const PARAGRAPH_SCOPE = words("button caption object table td th");

/** The start of one element ends those of its first list, unless an element of the second is in between. */
const ENDS: Readonly<Record<string, readonly [ends: Set<string>, scope: Set<string>]>> = {
  a: [words("a"), words("caption table td th")],
  dd: [words("dd dt"), words("dl table td th")],
  dt: [words("dd dt"), words("dl table td th")],
  li: [words("li"), words("menu ol table td th ul")],
  optgroup: [words("optgroup option"), words("select")],
  option: [words("option"), words("select")],
  rp: [words("rp rt"), words("ruby")],
  rt: [words("rp rt"), words("ruby")],
  tbody: [words("caption tbody td tfoot th thead tr"), TABLE],
  td: [CELLS, TABLE],
  tfoot: [words("caption tbody td tfoot th thead tr"), TABLE],
  th: [CELLS, TABLE],
  thead: [words("caption tbody td tfoot th thead tr"), TABLE],
  tr: [words("caption td th tr"), TABLE],
};

function words(list: string): Set<string> {
  return new Set(list.split(" "));
}

export interface OpenElements {
  open: (name: string, attributes: HtmlAttributes, isClosed: boolean) => void;
  close: (name: string) => void;
  closeAll: () => void;
}

/** Finds where elements end, also those without end tags or with wrong ones, much as the HTML standard says. */
export function openElements(opener: Opener): OpenElements {
  const stack: { name: string; end: ElementEnd }[] = [];

  /** How many of each name are open, since most searches are for one that is not. */
  const counts = new Map<string, number>();

  const remove = (index: number, count: number): void => {
    for (const { name, end } of stack.splice(index, count).toReversed()) {
      counts.set(name, (counts.get(name) ?? 0) - 1);
      end?.();
    }
  };
  const isOpen = (names: ReadonlySet<string>): boolean =>
    [...names].some((name) => (counts.get(name) ?? 0) > 0);

  /** Ends the outermost of the elements within the scope, and all in it. */
  const end = (names: ReadonlySet<string>, scope: ReadonlySet<string>): void => {
    if (!isOpen(names)) return;
    let found = stack.length;
    for (let index = stack.length - 1; index >= 0; index -= 1) {
      const { name = "" } = stack[index] ?? {};
      if (names.has(name)) found = index;
      else if (scope.has(name)) break;
    }
    remove(found, stack.length);
  };

  return {
    open(name, attributes, isClosed) {
      if (BLOCKS.has(name)) end(PARAGRAPH, PARAGRAPH_SCOPE);
      if (HEADINGS.has(name) && HEADINGS.has(stack.at(-1)?.name ?? "")) remove(stack.length - 1, 1);
      const ends = ENDS[name];
      if (ends) end(...ends);
      if (VOID.has(name) || isClosed) opener(name, attributes)?.();
      else if (stack.length < MAX_DEPTH) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        stack.push({ name, end: opener(name, attributes) });
      }
    },

    close(name) {
      const matches = HEADINGS.has(name) ? HEADINGS : new Set([name]);
      if (!isOpen(matches)) return;
      const scope = TABLE_PARTS.has(name) ? TABLE : END_SCOPE;
      let index = stack.length - 1;
      while (index >= 0 && !matches.has(stack[index]?.name ?? "")) {
        if (scope.has(stack[index]?.name ?? "")) return;
        index -= 1;
      }
      if (index >= 0) remove(index, FORMATS.has(name) ? 1 : stack.length);
    },

    closeAll: () => remove(0, stack.length),
  };
}
