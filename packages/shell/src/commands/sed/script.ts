import { compileGroups, type GroupPattern } from "../search/pattern.ts";

export type Address =
  | { kind: "line"; line: number }
  | { kind: "last" }
  | { kind: "step"; first: number; step: number }
  /** An empty expression is the last one that was used. */
  | { kind: "match"; pattern: GroupPattern | undefined }
  | { kind: "plus"; lines: number }
  | { kind: "multiple"; of: number };

export interface Substitution {
  pattern: GroupPattern | undefined;
  replacement: readonly Piece[];
  isGlobal: boolean;
  nth: number;
  isPrinted: boolean;
  isRun: boolean;
  file: string | undefined;
}

/** Text, a group, or where letters change their case from here on. */
export type Piece = string | { group: number } | { letters: "U" | "L" | "u" | "l" | "E" };

export interface Command {
  name: string;
  from?: Address;
  to?: Address;
  isNegated: boolean;
  /** Whether a range is open, and until which line. */
  range: { isOpen: boolean; until: number };
  /** Text of `a i c`, a label, a file name. */
  text: string;
  number: number | undefined;
  substitution?: Substitution;
  letters?: ReadonlyMap<string, string>;
  /** Of `{`: the index of its `}`. */
  end: number;
}

/** @throws {Error} `-e expression #1, char 5: ...` */
export async function parseScript(source: string, isExtended: boolean): Promise<Command[]> {
  let at = 0;
  const commands: Command[] = [];
  const open: Command[] = [];
  const fail = (reason: string): never => {
    throw new Error(`-e expression #1, char ${at}: ${reason}`);
  };
  const skip = (pattern: RegExp): void => {
    while (at < source.length && pattern.test(source.charAt(at))) at += 1;
  };
  const digits = (): number | undefined => {
    const start = at;
    skip(/\d/);
    return at === start ? undefined : Number(source.slice(start, at));
  };
  /** Up to an unescaped delimiter, which stays plain when it is escaped; brackets hide it in an expression. */
  const delimited = (delimiter: string, isExpression: boolean): string => {
    let text = "";
    for (let isInBracket = false; at < source.length; at++) {
      const character = source.charAt(at);
      const next = source.charAt(at + 1);
      if (character === "\\" && !isInBracket) {
        at += 1;
        if (next === delimiter)
          text +=
            isExpression && /[|+?(){}]/.test(delimiter)
              ? `[${delimiter}]`
              : isExpression
                ? delimiter
                : delimiter === "&"
                  ? "\\&"
                  : delimiter;
        else if (next === "n" && isExpression) text += "\n";
        else text += `\\${next}`;
        continue;
      }
      if (isExpression && character === "[" && !isInBracket) {
        isInBracket = true;
        text += character;
        if (next === "^") text += source.charAt((at += 1));
        if (source.charAt(at + 1) === "]") text += source.charAt((at += 1));
        continue;
      }
      if (isInBracket && character === "[" && /[:.=]/.test(next)) {
        const close = source.indexOf(`${next}]`, at + 2);
        if (close !== -1) {
          text += source.slice(at, close + 2);
          at = close + 1;
          continue;
        }
      }
      if (isInBracket && character === "\\" && next === "n") {
        text += "\n";
        at += 1;
        continue;
      }
      if (isInBracket && character === "]") isInBracket = false;
      else if (character === delimiter && !isInBracket) {
        at += 1;
        return text;
      }
      if (character === "\n" && isExpression) break;
      text += character;
    }
    return fail(isExpression ? "unterminated address regex" : "unterminated `s' command");
  };
  const compile = async (text: string, flags: string): Promise<GroupPattern | undefined> => {
    if (text === "") return undefined;
    const options = {
      isExtended,
      isCaseIgnored: /[iI]/.test(flags),
      isMultiline: /[mM]/.test(flags),
    };
    const plain = text.replace(/\\([\s\S])/g, (whole, letter: string) => {
      const control = { t: "\t", r: "\r", f: "\f", v: "\v" }[letter];
      return control ?? whole;
    });
    return compileGroups(plain, options);
  };
  const address = async (): Promise<Address | undefined> => {
    const number = digits();
    if (number !== undefined) {
      if (source.charAt(at) !== "~") return { kind: "line", line: number };
      at += 1;
      return { kind: "step", first: number, step: digits() ?? 0 };
    }
    const character = source.charAt(at);
    if (character === "$") {
      at += 1;
      return { kind: "last" };
    }
    if (character !== "/" && character !== "\\") return undefined;
    at += character === "\\" ? 2 : 1;
    const text = delimited(source.charAt(at - 1), true);
    const start = at;
    skip(/[IM]/);
    return { kind: "match", pattern: await compile(text, source.slice(start, at)) };
  };
  const secondAddress = async (): Promise<Address> => {
    const sign = source.charAt(at);
    if (sign === "+" || sign === "~") {
      at += 1;
      const count = digits() ?? 0;
      return sign === "+" ? { kind: "plus", lines: count } : { kind: "multiple", of: count };
    }
    return (await address()) ?? fail("unexpected `,'");
  };
  const endOfLine = (): string => {
    const start = at;
    skip(/[^\n]/);
    return source.slice(start, at);
  };
  const word = (): string => {
    skip(/[ \t]/);
    const start = at;
    skip(/[^;\n}\s]/);
    return source.slice(start, at);
  };
  const inserted = (): string => {
    skip(/[ \t]/);
    if (source.charAt(at) === "\\") {
      at += 1;
      const mark = at;
      skip(/[ \t]/);
      if (source.charAt(at) === "\n") at += 1;
      else at = mark;
    }
    let text = "";
    for (; at < source.length && source.charAt(at) !== "\n"; at++) {
      if (source.charAt(at) === "\\") at += 1;
      text += source.charAt(at);
    }
    return text;
  };

  while (at < source.length) {
    skip(/[\s;]/);
    if (at >= source.length) break;
    if (source.charAt(at) === "#") {
      endOfLine();
      continue;
    }
    const from = await address();
    skip(/[ \t]/);
    let to: Address | undefined;
    if (from && source.charAt(at) === ",") {
      at += 1;
      skip(/[ \t]/);
      to = await secondAddress();
      skip(/[ \t]/);
    }
    const isNegated = source.charAt(at) === "!";
    if (isNegated) {
      at += 1;
      skip(/[ \t!]/);
    }
    const name = source.charAt(at);
    at += 1;
    const command: Command = {
      name,
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
      isNegated,
      range: { isOpen: false, until: 0 },
      text: "",
      number: undefined,
      end: -1,
    };
    if (name === "}") {
      const start = open.pop() ?? fail("unexpected `}'");
      start.end = commands.length;
    } else if (name === "{") open.push(command);
    else if ("aic".includes(name) && name !== "") {
      command.text = inserted();
      if (
        command.text === "" &&
        source.charAt(at - 1) !== "\\" &&
        at >= source.length &&
        name !== "c" &&
        !/\\/.test(source)
      )
        fail("expected \\ after `a', `c' or `i'");
    } else if (name === ":" || "btT".includes(name)) {
      command.text = word();
      if (name === ":" && command.text === "") fail('":" lacks a label');
    } else if ("rRwW".includes(name)) {
      skip(/[ \t]/);
      command.text = endOfLine().trimEnd();
      if (command.text === "") fail("missing filename in r/R/w/W commands");
    } else if ("qQlL".includes(name)) {
      skip(/[ \t]/);
      command.number = digits();
    } else if (name === "s") command.substitution = await substitution();
    else if (name === "y") command.letters = transliteration();
    else if (!"=dDgGhHnNpPxzFe".includes(name))
      fail(name === "" ? "missing command" : `unknown command: \`${name}'`);
    commands.push(command);
    if (!"{}aic".includes(name)) {
      skip(/[ \t]/);
      if (at < source.length && !/[;\n}#]/.test(source.charAt(at)))
        fail(name === "s" ? "unknown option to `s'" : "extra characters after command");
    }
  }
  if (open.length > 0) fail("unmatched `{'");
  return commands;

  async function substitution(): Promise<Substitution> {
    const delimiter = source.charAt(at);
    at += 1;
    const text = delimited(delimiter, true);
    const replacement = replacementOf(delimited(delimiter, false));
    let flags = "";
    let nth = 1;
    let file: string | undefined;
    while (/[gpiImMe\d]/.test(source.charAt(at))) {
      const number = digits();
      if (number === undefined) flags += source.charAt(at++);
      else nth = number;
    }
    if (source.charAt(at) === "w") {
      at += 1;
      skip(/[ \t]/);
      file = endOfLine();
    }
    return {
      pattern: await compile(text, flags),
      replacement,
      isGlobal: flags.includes("g"),
      nth,
      isPrinted: flags.includes("p"),
      isRun: flags.includes("e"),
      file,
    };
  }

  function transliteration(): ReadonlyMap<string, string> {
    const delimiter = source.charAt(at);
    at += 1;
    const plain = (text: string): string[] =>
      Array.from(
        text.replace(/\\(n|\\|t)/g, (_all, letter: string) =>
          letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
        ),
      );
    const [from, to] = [plain(delimited(delimiter, false)), plain(delimited(delimiter, false))];
    if (from.length !== to.length) fail("strings for `y' command are different lengths");
    return new Map(from.map((letter, index) => [letter, to[index] ?? ""]));
  }
}

const escapes: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\u0007",
};

function replacementOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  const push = (piece: Piece): void => {
    if (plain !== "") pieces.push(plain);
    plain = "";
    pieces.push(piece);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "&") push({ group: 0 });
    else if (character !== "\\") plain += character;
    else {
      at += 1;
      const next = text.charAt(at);
      const hex = /^x([\da-fA-F]{2})/.exec(text.slice(at))?.[1];
      if (/\d/.test(next)) push({ group: Number(next) });
      else if (next === "U" || next === "L" || next === "u" || next === "l" || next === "E")
        push({ letters: next });
      else if (hex !== undefined) {
        plain += String.fromCharCode(Number.parseInt(hex, 16));
        at += 2;
      } else plain += escapes[next] ?? next;
    }
  }
  if (plain !== "") pieces.push(plain);
  return pieces;
}

/** The text that stands in for a match. */
export function fillIn(pieces: readonly Piece[], groupOf: (group: number) => string): string {
  let text = "";
  let [lasting, once] = ["", ""];
  const append = (part: string): void => {
    if (part === "") return;
    let changed =
      lasting === "U" ? part.toUpperCase() : lasting === "L" ? part.toLowerCase() : part;
    if (once !== "") {
      const [first = ""] = changed;
      changed =
        (once === "u" ? first.toUpperCase() : first.toLowerCase()) + changed.slice(first.length);
      once = "";
    }
    text += changed;
  };
  for (const piece of pieces) {
    if (typeof piece === "string") append(piece);
    else if ("group" in piece) append(groupOf(piece.group));
    else if (piece.letters === "u" || piece.letters === "l") once = piece.letters;
    else lasting = piece.letters === "E" ? "" : piece.letters;
  }
  return text;
}
