export type TokenKind = "number" | "string" | "regex" | "name" | "call" | "word" | "mark" | "end";

export interface Token {
  kind: TokenKind;
  /** The name, keyword or operator, the content of a string, or the source of an expression. */
  text: string;
  line: number;
}

const keywords = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
);
/** Functions whose parenthesis may stand behind a blank. */
const builtins = new Set(
  "length substr index split match sub gsub gensub sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand system close fflush strftime systime mktime strtonum and or xor lshift rshift asort asorti".split(
    " ",
  ),
);
const marks =
  /\*\*=|>>|\|\||&&|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|\*\*|==|<=|>=|!=|!~|[{}()[\];,+\-*/%^!<>|?:~$=\n]/y;
const escapes: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "/": "/",
};

/** Resolves the escapes of a string; an unknown one keeps its backslash, which has a meaning in expressions. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|([^]))/g,
    (whole, octal?: string, hex?: string, letter = "") => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return letter === "\n" ? "" : (escapes[letter] ?? whole);
    },
  );
}

/** @throws {Error} For an unterminated string or expression, and for unknown characters. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) at += text.length;
    return text;
  };
  const add = (kind: TokenKind, text: string): void => void tokens.push({ kind, text, line });
  /** Reports whether the previous token ends a value: a slash then divides, and elsewhere begins an expression. */
  const endsValue = (): boolean => {
    const last = tokens.at(-1);
    if (!last) return false;
    if (last.kind === "mark") return [")", "]", "++", "--"].includes(last.text);
    return last.kind !== "word";
  };
  while (at < source.length) {
    const skipped = take(/(?:[ \t\r]|\\\r?\n|#[^\n]*)+/y);
    if (skipped !== undefined) line += skipped.split("\n").length - 1;
    if (at >= source.length) break;
    const number = take(/(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) {
      add("number", number);
      continue;
    }
    const name = take(/[A-Za-z_]\w*/y);
    if (name !== undefined) {
      if (keywords.has(name)) add("word", name);
      else {
        const open = builtins.has(name) ? /[ \t]*\(/y : /\(/y;
        open.lastIndex = at;
        add(open.test(source) ? "call" : "name", name);
      }
      continue;
    }
    const text = take(/"(?:\\[^]|[^"\\\n])*"/y);
    if (text !== undefined) {
      add("string", unescaped(text.slice(1, -1)));
      continue;
    }
    if (source[at] === "/" && !endsValue()) {
      const expression = take(/\/(?:\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\n\\])*\]|[^/\\\n[])*\//y);
      if (expression === undefined) throw new Error(`unterminated regexp at source line ${line}`);
      add("regex", expression.slice(1, -1).replaceAll("\\/", "/"));
      continue;
    }
    const mark = take(marks);
    if (mark === undefined) {
      throw new Error(`syntax error at source line ${line}: unexpected ${source.charAt(at)}`);
    }
    add("mark", mark === "**" ? "^" : mark === "**=" ? "^=" : mark);
    if (mark === "\n") line += 1;
  }
  add("end", "");
  return tokens;
}
