import { nativeRegExp } from "@robota/runtime/ports";
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
  if (text.length <= longest) return own.exec(text) ?? undefined;
  const options = { isCaseIgnored: ignoresCase, isMultiline: false };
  const groups = (await compilePerlGroups(translated, options)).find(text, 0);
  return groups?.map(([start, end]) => (start < 0 ? undefined : text.slice(start, end)));
}

/** Reports whether nothing in the expression repeats a part that itself varies. */
function isSimple(translated: string): boolean {
  const plain = translated.replace(/\\./g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  return (plain.match(/[*+?{]/g)?.length ?? 0) <= 1 && !/\)[*+?{]/.test(plain);
}

/** The expression in JavaScript's syntax. */
function translate(source: string): string {
  let result = "";
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    if (character === "[") {
      const set = readSet(source, at);
      result += set.text;
      at = set.end;
    } else if (character === "\\") {
      const next = source.charAt(at + 1);
      const isSpecial = /[\^$\\.*+?()[\]{}|/]/.test(next);
      result += isSpecial
        ? `\\${next}`
        : /[bBwWsS<>]/.test(next)
          ? `\\${/[<>]/.test(next) ? "b" : next}`
          : next;
      at += 2;
    } else {
      // A brace that begins no repetition, and what JavaScript alone finds special.
      const isText = character === "{" && !/^\{\d+(?:,\d*)?\}/.test(source.slice(at));
      const isClosing = (character === "}" && !/\{\d+(?:,\d*)?$/.test(result)) || character === "]";
      result += isText || isClosing ? `\\${character}` : character;
      at++;
    }
  }
  return result;
}

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
    if (named && CLASSES[named[1] ?? ""] !== undefined) {
      members += CLASSES[named[1] ?? ""] ?? "";
      at += named[0].length;
      continue;
    }
    // A quoted character comes with a backslash, which in a set is a character itself when it was not quoted.
    const isQuoted = character === "\\" && /[\^$\\.*+?()[\]{}|]/.test(source.charAt(at + 1));
    const member = isQuoted ? source.charAt(at + 1) : character;
    members += /[\\\]^[&~{}()|/]/.test(member) ? `\\${member}` : member;
    at += isQuoted ? 2 : 1;
  }
  throw new SyntaxError("A set of characters is not closed");
}
