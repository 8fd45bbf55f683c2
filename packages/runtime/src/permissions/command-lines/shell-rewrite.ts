const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;
const EXPANSION =
  /\$(?:\{[!#]?(\w+|[@*#?$!-])(?::?[-+=?]([^}]*)|[^}]*)?\}|([A-Za-z_]\w*|[\d@*#?$!-]))/g;
/** Maximum number of values tried for a name; more indicates an attack. */
export const MAX_FORMS = 16;
const MAX_WORDS = 2000;

/** Possible values of variables, as far as the line itself sets them. */
export type Variables = ReadonlyMap<string, readonly string[]>;

/** The values that a line gives to names: by assignments, also of `export` and its like, and by `for`. */
export function variablesOf(commands: readonly (readonly string[])[]): Variables {
  const variables = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    const values = variables.get(name) ?? [];
    if (values.length < MAX_FORMS) values.push(value);
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

/**
 * Other word lists that a shell may make of these words: variables of the line substituted and unknown ones empty,
 * split at `$IFS`, braces expanded.
 */
export function rewritten(words: readonly string[], variables: Variables): string[][] {
  const text = words.join(" ");
  if (!/[${]/.test(text)) return [];
  const forms = new Map<string, string[]>();
  const add = (form: string[]): void => {
    const key = form.join("\0");
    if (form.length > 0 && key !== words.join("\0")) forms.set(key, form);
  };
  const used = [...text.matchAll(EXPANSION)].map(([, braced, , bare]) => braced ?? bare ?? "");
  const rounds = Math.max(1, ...used.map((name) => variables.get(name)?.length ?? 0));
  for (let round = 0; round < rounds; round++) {
    const filled = words.map((word) => fill(word, variables, round));
    add(expandBraces(filled.flatMap((word, at) => (word === words[at] ? [word] : fields(word)))));
  }
  return [...forms.values()];
}

function fields(word: string): string[] {
  return word.split(/\s+/).filter((part) => part !== "");
}

function fill(word: string, variables: Variables, round: number): string {
  return word.replace(EXPANSION, (_, braced?: string, fallback?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    if (name === "IFS") return " ";
    if (name === "HOME" || name === "PWD") return name === "HOME" ? "~" : ".";
    const values = variables.get(name);
    return values?.[Math.min(round, values.length - 1)] ?? fallback ?? "";
  });
}

/** `{a,b}` and `{a..c}` as their alternatives, side by side. */
function expandBraces(words: readonly string[]): string[] {
  const done: string[] = [];
  const pending = words.toReversed();
  let work = 0;
  for (let word = pending.pop(); word !== undefined; word = pending.pop()) {
    const found = /^(.*?)\{([^{}]*(?:,|\.\.)[^{}]*)\}(.*)$/s.exec(word);
    work += 1;
    if (!found || work + pending.length > MAX_WORDS) {
      done.push(word);
      continue;
    }
    const [, before = "", inside = "", after = ""] = found;
    const parts = inside.includes(",") ? inside.split(",") : sequence(inside);
    if (!parts) {
      done.push(word);
      continue;
    }
    for (const part of parts.toReversed()) {
      const whole = before + part + after;
      if (whole !== "") pending.push(whole);
    }
  }
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
