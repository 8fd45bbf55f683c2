import { nativeRegExp } from "@robota/runtime/ports";
import { isAmbiguous } from "../../commands/search/ambiguity.ts";
import { compilePerlGroups } from "../../commands/search/pattern.ts";

/** The longest text for the host's engine where one repetition may begin anywhere. */
const LONGEST = 10_000;

/** A pattern behind `=~` that is not a regular expression; the status is 2. */
export class RegularExpressionError extends Error {
  override readonly name = "RegularExpressionError" as const;
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  blank: " \\t",
  cntrl: "\\p{Cc}",
  digit: "0-9",
  graph: "!-~",
  lower: "\\p{Ll}",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\s",
  upper: "\\p{Lu}",
  xdigit: "\\da-fA-F",
};

/**
 * The first match of a POSIX extended regular expression, with its groups. It takes time in proportion to the text,
 * whatever the expression. Quoted characters in it come with a backslash.
 */
export async function findGroups(
  source: string,
  text: string,
  { ignoresCase }: { ignoresCase: boolean },
): Promise<(string | undefined)[] | undefined> {
  const translated = translate(source);
  // Rejects what is no expression, in the host's words and before the other engine loads.
  const own = new RegExp(translated, ignoresCase ? "isu" : "su");
  const quick = nativeRegExp(translated, { ignoreCase: ignoresCase });
  const longest = quick?.longest ?? (isSimple(translated) ? LONGEST : 0);
  if (text.length <= longest && !isAmbiguous(translated, ignoresCase))
    return own.exec(text) ?? undefined;
  const options = { isCaseIgnored: ignoresCase, isMultiline: false, isLongest: true };
  const groups = (await compilePerlGroups(translated, options)).find(text, 0);
  return groups?.map(([start, end]) => (start < 0 ? undefined : text.slice(start, end)));
}

/** Reports whether nothing in the expression repeats a part that itself varies. */
function isSimple(translated: string): boolean {
  const plain = translated.replace(/\\./g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  return (plain.match(/[*+?{]/g)?.length ?? 0) <= 1 && !/\)[*+?{]/.test(plain);
}

/** The largest count of a repetition. */
const MAX_COUNT = 32_767;

/** The expression in JavaScript's syntax. @throws {SyntaxError} */
function translate(source: string): string {
  const parts: string[] = [];
  const opens: number[] = [];
  // The part that the next repetition repeats from on; `undefined` where there is none.
  let atom: number | undefined;
  let isRepeated = false;
  for (let at = 0; at < source.length;) {
    const { kind, text, end } = readToken(source, at, opens.length > 0);
    at = end;
    if (kind !== "repetition") {
      atom = kind === "close" ? opens.pop() : kind === "atom" ? parts.length : undefined;
      if (kind === "open") opens.push(parts.length);
      isRepeated = false;
    } else if (atom === undefined) throw new SyntaxError("Nothing to repeat");
    else {
      // JavaScript would take a repetition of one for something else.
      if (isRepeated) {
        parts.splice(atom, 0, "(?:");
        parts.push(")");
      }
      isRepeated = true;
    }
    parts.push(text);
  }
  return parts.join("");
}

interface Token {
  /** `start` is what no repetition may follow, such as `^` and `|`. */
  readonly kind: "atom" | "open" | "close" | "repetition" | "start";
  readonly text: string;
  readonly end: number;
}

/** @param isInGroup Whether a `)` closes something. */
function readToken(source: string, at: number, isInGroup: boolean): Token {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const end = at + character.length;
  switch (character) {
    case "[":
      return { kind: "atom", ...readSet(source, at) };
    case "\\":
      return readEscape(source, at);
    case "{":
      return readInterval(source, at);
    case "*":
    case "+":
    case "?":
      return { kind: "repetition", text: character, end };
    case "(":
      return { kind: "open", text: "(", end };
    case ")":
      return isInGroup ? { kind: "close", text: ")", end } : { kind: "atom", text: "\\)", end };
    case "^":
    case "$":
    case "|":
      return { kind: "start", text: character, end };
    default:
      return { kind: "atom", text: "}]".includes(character) ? `\\${character}` : character, end };
  }
}

function readEscape(source: string, at: number): Token {
  const next = source.charAt(at + 1);
  if (next === "") throw new SyntaxError("A backslash stands at the end");
  const end = at + 2;
  if (/[\^$\\.*+?()[\]{}|/]/.test(next)) return { kind: "atom", text: `\\${next}`, end };
  if (/[<>b]/.test(next)) return { kind: "start", text: "\\b", end };
  if (next === "B") return { kind: "start", text: "\\B", end };
  return { kind: "atom", text: /[wWsS]/.test(next) ? `\\${next}` : next, end };
}

/** `{2}`, `{2,}`, `{,3}` and `{2,3}` */
function readInterval(source: string, at: number): Token {
  const match = /^\{(\d*)(,?)(\d*)\}/.exec(source.slice(at));
  const [whole = "", least = "", comma = "", most = ""] = match ?? [];
  if (least + most === "" || Math.max(Number(least), Number(most)) > MAX_COUNT)
    throw new SyntaxError("A brace begins no repetition");
  return {
    kind: "repetition",
    text: `{${least === "" ? "0" : least}${comma}${most}}`,
    end: at + whole.length,
  };
}

/** Characters that two of make an operator in a set. */
const DOUBLED: Readonly<Record<string, string>> = { "&": "\\x26", "~": "\\x7e" };

function readSet(source: string, open: number): { text: string; end: number } {
  let at = open + 1;
  const isNegated = source[at] === "^";
  if (isNegated) at++;
  let members = "";
  for (let isFirst = true; at < source.length; isFirst = false) {
    const character = source.charAt(at);
    if (character === "]" && !isFirst)
      return { text: `[${isNegated ? "^" : ""}${members}]`, end: at + 1 };
    const named = /^\[:(\w+):\]/.exec(source.slice(at, at + 12));
    if (named) {
      const known = CLASSES[named[1] ?? ""];
      if (known === undefined) throw new SyntaxError("A class of characters is unknown");
      members += known;
      at += named[0].length;
      continue;
    }
    // A quoted character comes with a backslash, which in a set is a character itself when it was not quoted.
    const isQuoted = character === "\\" && /[\^$\\.*+?()[\]{}|]/.test(source.charAt(at + 1));
    const member = isQuoted ? source.charAt(at + 1) : character;
    members += /[\\\]^[{}()|/]/.test(member) ? `\\${member}` : (DOUBLED[member] ?? member);
    at += isQuoted ? 2 : 1;
  }
  throw new SyntaxError("A set of characters is not closed");
}
