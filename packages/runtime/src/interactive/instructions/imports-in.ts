const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const IMPORT = /(?:^|\s)@((?:[^\s\\@]|\\ )+)/g;
/** The look behind keeps a search in a long run of dots to its first one. */
const CLOSING_PUNCTUATION = /(?<![.,;:!?)\]}"'*_])[.,;:!?)\]}"'*_]+$/;

/**
 * The paths of a Markdown text's imports, written as `@path` at the beginning of a word, each once and in order. Code spans
 * and code blocks have none. A space within a path is written as `\ `.
 */
export function importsIn(text: string): string[] {
  const paths = paragraphsOf(text).flatMap((paragraph) =>
    [...withoutCodeSpans(paragraph).matchAll(IMPORT)].map(([, path = ""]) =>
      path.replaceAll("\\ ", " ").replace(CLOSING_PUNCTUATION, ""),
    ),
  );
  return [...new Set(paths)].filter((path) => path !== "");
}

/** Runs of lines outside of code blocks. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[][] = [[]];
  let fence = "";
  let isInList = false;
  let isAfterBlank = true;
  for (const line of text.split(/\r?\n/)) {
    const [, mark = ""] = FENCE.exec(line) ?? [];
    const isBlank = line.trim() === "";
    const isIndented = /^(?: {4}|\t)/.test(line);
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    } else if (mark !== "") {
      fence = mark;
      paragraphs.push([]);
    } else if (isBlank) {
      paragraphs.push([]);
    } else if (isIndented && isAfterBlank && !isInList) {
      // An indented block of code lasts as long as the indentation.
      continue;
    } else {
      if (!isIndented) isInList = LIST_ITEM.test(line) || (isInList && /^\s/.test(line));
      paragraphs.at(-1)?.push(line);
    }
    isAfterBlank = isBlank;
  }
  return paragraphs.map((lines) => lines.join("\n"));
}

/** A paragraph with a space for each code span: from a run of backticks to the next one of the same length. */
function withoutCodeSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({
    length,
    index,
  }));
  const next = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    closing[at] = next.get(length) ?? -1;
    next.set(length, at);
  }
  let result = "";
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const end = runs[closing[at] ?? -1];
    const start = runs[at];
    if (!start || !end) continue;
    result += `${paragraph.slice(from, start.index)} `;
    from = end.index + end.length;
    at = closing[at] ?? at;
  }
  return result + paragraph.slice(from);
}
