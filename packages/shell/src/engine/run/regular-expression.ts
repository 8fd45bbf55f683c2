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

/** A POSIX extended regular expression in JavaScript's syntax. Quoted characters come with a backslash. */
export function toRegExp(source: string, { ignoresCase }: { ignoresCase: boolean }): RegExp {
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
  return new RegExp(result, ignoresCase ? "isu" : "su");
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
  return { text: "\\[", end: open + 1 };
}
