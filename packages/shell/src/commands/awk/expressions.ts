import { unescaped } from "./lexer.ts";

/** Translates a regular expression of awk, which has the escapes of strings, to POSIX syntax. */
export function toPosix(source: string): string {
  let text = "";
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    if (character === "[") {
      const [whole = "[", negation = "", members = ""] =
        /^\[(\^?)(\]?(?:\[:\w+:\]|\\[^]|[^\]\\])*)\]/.exec(source.slice(at)) ?? [];
      at += whole.length;
      text += whole === "[" ? "\\[" : `[${negation}${bracketed(members)}]`;
    } else if (character === "\\") {
      const [whole = "\\"] = /^\\(?:[0-7]{1,3}|x[\da-fA-F]{1,2}|[^])/.exec(source.slice(at)) ?? [];
      at += whole.length;
      text += escape(whole);
    } else {
      text += character;
      at += 1;
    }
  }
  return text;
}

function escape(whole: string): string {
  if (whole === "\\") return "\\\\";
  if (whole === "\\y") return "\\b";
  if (/^\\(?:[ntrafv"/0-7]|x[\da-fA-F])/.test(whole)) {
    const plain = unescaped(whole);
    return /[\\^$.*+?()[\]{}|]/.test(plain) ? `\\${plain}` : plain;
  }
  return whole;
}

/** Resolves escapes in a bracket expression, where POSIX takes a backslash literally. */
function bracketed(members: string): string {
  return members.replace(
    /\\([0-7]{1,3}|x[\da-fA-F]{1,2}|[^])|\[:\w+:\]/g,
    (whole, letter?: string) => {
      if (letter === undefined) return whole;
      if (letter === "s") return "[:space:]";
      if (letter === "w") return "[:alnum:]_";
      if (letter === "d") return "d";
      const plain = /^(?:[ntrafvb0-7"/\\]|x.)/.test(letter) ? unescaped(whole) : letter;
      return /[\]^-]/.test(plain) ? `[.${plain}.]` : plain;
    },
  );
}
