/** A redirection: `>`, `>>`, `2>`, `&>`, `>|`, `<>` and so on as `operator`, without the number in front. */
export interface Redirect {
  operator: string;
  target: string;
}

/** The result of a generous parse. */
export interface ReadText {
  commands: string[][];
  redirects: Redirect[];
  /** The texts of the substitutions in it. */
  nested: string[];
}

/** Parses the commands of a text, with quotes resolved. Never fails: malformed parts are parsed in some way. */
export function readText(text: string): ReadText {
  const found: ReadText = { commands: [], redirects: [], nested: [] };
  let words: string[] = [];
  let word: string | undefined;
  let operator = "";
  const endWord = (): void => {
    if (word === undefined) return;
    // A redirection's target is not a word of the command.
    if (operator === "") words.push(word);
    else found.redirects.push({ operator, target: word });
    operator = "";
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    operator = "";
    if (words.length > 0) found.commands.push(words);
    words = [];
  };

  let index = 0;
  while (index < text.length) {
    const char = text[index] as string;
    if (char === "\\") {
      const next = text[index + 1] ?? "";
      if (next !== "\n") word = (word ?? "") + next;
      index += 2;
    } else if (char === "$" && text[index + 1] === "'") {
      const end = closingAnsi(text, index + 2);
      word = (word ?? "") + decodeAnsi(text.slice(index + 2, end));
      index = end + 1;
    } else if (char === "$" && text[index + 1] === '"') {
      index += 1;
    } else if (char === "'") {
      const end = endOr(text, text.indexOf("'", index + 1));
      word = (word ?? "") + text.slice(index + 1, end);
      index = end + 1;
    } else if (char === '"') {
      const end = closing(text, index + 1, '"');
      const quoted = text.slice(index + 1, end);
      word = (word ?? "") + quoted.replace(/\\([$`"\\])/g, "$1").replace(/\\\n/g, "");
      found.nested.push(...substitutions(quoted));
      index = end + 1;
    } else if (char === "`" || text.startsWith("$(", index)) {
      const start = index + (char === "`" ? 1 : 2);
      const end = closing(text, start, char === "`" ? "`" : ")");
      found.nested.push(...inner(text, start, end, char));
      word = `${word ?? ""}${text.slice(index, end + 1)}`;
      index = end + 1;
    } else if (text.startsWith("${", index)) {
      // Spaces within the braces do not end the word.
      const end = endOr(text, text.indexOf("}", index + 2));
      const expansion = text.slice(index, end + 1);
      found.nested.push(...substitutions(expansion));
      word = (word ?? "") + expansion;
      index = end + 1;
    } else if (char === "$" && /^\$[A-Za-z_]\w*(?=["'\\])/.test(text.slice(index, index + 80))) {
      // A quote ends the name: without it, the following text would become part of it.
      const [name = ""] = /^\w+/.exec(text.slice(index + 1, index + 80)) ?? [];
      word = `${word ?? ""}\${${name}}`;
      index += 1 + name.length;
    } else if (char === " " || char === "\t") {
      endWord();
      index += 1;
    } else if (char === "<" || char === ">" || text.startsWith("&>", index)) {
      if (word !== undefined && /^(?:\d+|\{\w+\})$/.test(word)) word = undefined;
      endWord();
      operator = /^&?(?:<<<|<<-?|<>|[<>]+)[&|!]?/.exec(text.slice(index, index + 6))?.[0] ?? char;
      index += operator.length;
    } else if (/[;|&\n\r()]/.test(char)) {
      endCommand();
      index += 1;
    } else {
      word = (word ?? "") + char;
      index += 1;
    }
  }
  endCommand();
  return found;
}

/** The texts of substitutions inside double quotes. */
function substitutions(quoted: string): string[] {
  if (!/\$\(|`/.test(quoted)) return [];
  const texts: string[] = [];
  let index = 0;
  while (index < quoted.length) {
    const char = quoted[index] as string;
    if (char === "\\") index += 2;
    else if (char === "`" || quoted.startsWith("$(", index)) {
      const start = index + (char === "`" ? 1 : 2);
      const end = closing(quoted, start, char === "`" ? "`" : ")");
      texts.push(...inner(quoted, start, end, char));
      index = end + 1;
    } else index += 1;
  }
  return texts;
}

/**
 * The texts that a substitution runs. Within backticks, a backslash hides another backtick, a dollar or itself from the
 * outer shell; `$((…))` calculates, and runs only the substitutions in it.
 */
function inner(text: string, start: number, end: number, opening: string): string[] {
  const found = text.slice(start, end);
  if (opening === "`") return [found.replace(/\\([`$\\])/g, "$1")];
  return isArithmetic(found) ? substitutions(found.slice(1, -1)) : [found];
}

/** Reports whether the text of a `$(…)` is that of a `$((…))`. With quotes in it, it may be two subshells. */
function isArithmetic(text: string): boolean {
  if (!/^\([^'"`\\;\n]*\)$/.test(text)) return false;
  let depth = 0;
  for (const char of text.slice(1, -1)) {
    if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Position of the closing delimiter for `start`, including nested ones; the end if missing. */
function closing(text: string, start: number, closer: string): number {
  const open = [closer];
  let index = start;
  while (index < text.length) {
    const char = text[index] as string;
    const current = open.at(-1);
    if (char === "\\") index += 1;
    else if (char === current) {
      open.pop();
      if (open.length === 0) return index;
    } else if (current !== "`" && char === "`") open.push("`");
    else if (current !== "`" && text.startsWith("$(", index)) {
      open.push(")");
      index += 1;
    } else if (current === ")") {
      if (char === "(") open.push(")");
      else if (char === '"') open.push('"');
      else if (char === "'") index = endOr(text, text.indexOf("'", index + 1));
    }
    index += 1;
  }
  return text.length;
}

function closingAnsi(text: string, start: number): number {
  let index = start;
  while (index < text.length && text[index] !== "'") index += text[index] === "\\" ? 2 : 1;
  return Math.min(index, text.length);
}

const ESCAPE =
  /\\(?:x(?:\{([\dA-Fa-f]*)\}?|([\dA-Fa-f]{1,2}))|u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))/gs;
const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  e: "\u001b",
  E: "\u001b",
};

/** The value of `$'…'`, which ends at the first NUL. */
function decodeAnsi(text: string): string {
  const decoded = text.replace(
    ESCAPE,
    (_, braced, hex, short, long, octal: string | undefined, control, plain) => {
      // The last byte alone counts of a value in braces.
      if (typeof braced === "string")
        return character(Number.parseInt(braced.slice(-2) || "0", 16));
      const digits: unknown = hex ?? short ?? long;
      if (typeof digits === "string") return character(Number.parseInt(digits, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8) & 255);
      if (typeof control === "string") return character(control.charCodeAt(0) & 31);
      return NAMED[String(plain)] ?? String(plain);
    },
  );
  const end = decoded.indexOf("\0");
  return end < 0 ? decoded : decoded.slice(0, end);
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function endOr(text: string, index: number): number {
  return index < 0 ? text.length : index;
}
