const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;
const EXPANSION =
  /\$(?:\{[!#]?(\w+|[@*#?$!-])(?::?[-+=?]([^}]*)|[^}]*)?\}|([A-Za-z_]\w*|[\d@*#?$!-]))/g;
/** The same without braces, for text that closes none: each search for the end of one would read all of it. */
const BARE = /\$([A-Za-z_]\w*|[\d@*#?$!-])/g;
/** A brace expansion, which a text can match in one way at most. */
export const BRACES = /\{((?:[^{}.,]|\.(?!\.))*(?:,|\.\.)[^{}]*)\}/;
/** Maximum number of values tried for a name; more indicates an attack. */
export const MAX_FORMS = 16;
const MAX_WORDS = 2000;
/** Maximum number of characters that expansions add to one command; more indicates an attack. */
const MAX_ADDED = 500_000;

/** Possible values of variables, as far as the line itself sets them. */
export type Variables = ReadonlyMap<string, readonly string[]>;

/**
 * The values that a line gives to names: by assignments, also of `export` and its like, and by `for`. Added to those of
 * `variables`.
 */
export function variablesOf(
  commands: readonly (readonly string[])[],
  variables = new Map<string, string[]>(),
): Map<string, string[]> {
  const add = (name: string, value: string): void => {
    const values = variables.get(name) ?? [];
    if (values.length < MAX_FORMS && !values.includes(value)) values.push(value);
    variables.set(name, values);
  };
  for (const words of commands) {
    if ((words[0] === "for" || words[0] === "select") && words[2] === "in") {
      for (const value of words.slice(3)) add(words[1] ?? "", value);
    }
    for (const word of words) {
      const [, name, value] = ASSIGNMENT.exec(word) ?? [];
      if (name !== undefined) add(name, value ?? "");
    }
  }
  return variables;
}

/** Characters that may still be added. */
interface Budget {
  left: number;
}

/**
 * Other word lists that a shell may make of these words: variables of the line substituted and unknown ones empty,
 * split at `$IFS`, braces expanded. `undefined` when variables make too much of it.
 */
export function rewritten(words: readonly string[], variables: Variables): string[][] | undefined {
  const text = words.join(" ");
  if (!/[${]/.test(text)) return [];
  const forms = new Map<string, string[]>();
  const add = (form: string[]): void => {
    const key = form.join("\0");
    if (form.length > 0 && key !== words.join("\0")) forms.set(key, form);
  };
  let rounds = 1;
  replaceExpansions(text, (name) => {
    rounds = Math.max(rounds, variables.get(name)?.length ?? 0);
    return "";
  });
  const budget = { left: MAX_ADDED };
  for (let round = 0; round < rounds; round++) {
    const filled = words.map((word) => fill(word, variables, round, budget));
    if (budget.left < 0) return undefined;
    const split = filled.flatMap((word, at) => (word === words[at] ? [word] : fields(word)));
    add(expandBraces(split, budget));
  }
  return [...forms.values()];
}

function fields(word: string): string[] {
  return word.split(/\s+/).filter((part) => part !== "");
}

function replaceExpansions(
  text: string,
  valueOf: (name: string, fallback: string | undefined) => string,
): string {
  const end = text.lastIndexOf("}") + 1;
  return (
    text
      .slice(0, end)
      .replace(EXPANSION, (_, braced?: string, fallback?: string, bare?: string) =>
        valueOf(braced ?? bare ?? "", fallback),
      ) + text.slice(end).replace(BARE, (_, bare: string) => valueOf(bare, undefined))
  );
}

function fill(word: string, variables: Variables, round: number, budget: Budget): string {
  return replaceExpansions(word, (name, fallback) => {
    if (budget.left < 0) return "";
    if (name === "IFS") return " ";
    if (name === "HOME" || name === "PWD") return name === "HOME" ? "~" : ".";
    const values = variables.get(name);
    const value = values?.[Math.min(round, values.length - 1)] ?? fallback ?? "";
    budget.left -= value.length;
    return value;
  });
}

/** `{a,b}` and `{a..c}` as their alternatives, side by side. Where these are too many, a `*` stands for them. */
function expandBraces(words: readonly string[], budget: Budget): string[] {
  const done: string[] = [];
  const pending = words.toReversed();
  let added = budget.left;
  let work = 0;
  for (let word = pending.pop(); word !== undefined; word = pending.pop()) {
    const found = BRACES.exec(word);
    const [whole = "", inside = ""] = found ?? [];
    const parts = inside.includes(",") ? inside.split(",") : sequence(inside);
    work += 1;
    if (!found || !parts) {
      done.push(word);
      continue;
    }
    const before = word.slice(0, found.index);
    const after = word.slice(found.index + whole.length);
    added -= parts.length * (before.length + after.length);
    if (work + pending.length > MAX_WORDS || added < 0) {
      done.push(word.replace(/\{.*\}/s, "*"));
      continue;
    }
    for (const part of parts.toReversed()) {
      const expanded = before + part + after;
      if (expanded !== "") pending.push(expanded);
    }
  }
  budget.left = Math.max(added, 0);
  return done;
}

/** Members of a longer sequence beyond these are ignored: nobody names commands by numbers. */
const MAX_MEMBERS = 64;

/** The members of `a..e` or `1..9..2`; `undefined` for other text. */
function sequence(text: string): string[] | undefined {
  const found =
    /^(?:([A-Za-z])\.\.([A-Za-z])|(-?\d{1,9})\.\.(-?\d{1,9}))(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (!found) return undefined;
  const [, letter, lastLetter = "", number, lastNumber, given = "1"] = found;
  const [start, end] =
    letter === undefined
      ? [Number(number), Number(lastNumber)]
      : [letter.charCodeAt(0), lastLetter.charCodeAt(0)];
  const step = (Math.abs(Number(given)) || 1) * (start <= end ? 1 : -1);
  const length = Math.min(Math.floor(Math.abs((end - start) / step)) + 1, MAX_MEMBERS);
  return Array.from({ length }, (_, index) => {
    const code = start + index * step;
    return letter === undefined ? String(code) : String.fromCharCode(code);
  });
}
