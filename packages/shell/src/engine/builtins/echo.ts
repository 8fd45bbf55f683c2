import { print } from "../run/process.ts";
import { CONTROL_LETTERS } from "../text/ansi-c.ts";
import { byteCharacter, joinBytes } from "../text/bytes.ts";
import { withTexts } from "./builtin.ts";

const ESCAPES =
  /\\(?:([abeEfnrtv\\])|0([0-7]{0,3})|x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|(c))/g;

export const echo = withTexts(async (process, args) => {
  let [endsLine, hasEscapes] = [true, process.state.options.has("xpg_echo")];
  let at = 0;
  for (; /^-[neE]+$/.test(args[at] ?? ""); at++) {
    for (const letter of args[at] ?? "") {
      if (letter === "n") endsLine = false;
      else if (letter !== "-") hasEscapes = letter === "e";
    }
  }
  const text = args.slice(at).join(" ");
  const end = endsLine ? "\n" : "";
  if (!hasEscapes) {
    await print(process, 1, text + end);
    return 0;
  }
  const escaped = decodeEscapes(text);
  await print(process, 1, escaped.text + (escaped.isCut ? "" : end));
  return 0;
});

/** Decodes the escapes of `echo -e` and `printf %b`; `\c` cuts the output there. */
export function decodeEscapes(text: string): { text: string; isCut: boolean } {
  if (!text.includes("\\")) return { text, isCut: false };
  let cut = -1;
  const decoded = text.replace(ESCAPES, (whole, ...groups: unknown[]) => {
    const [letter, octal, hex, short, long, end] = groups as (string | undefined)[];
    const offset = groups.at(-2);
    if (end !== undefined && cut === -1 && typeof offset === "number") cut = offset;
    if (letter !== undefined) return CONTROL_LETTERS[letter] ?? whole;
    if (octal !== undefined) return byteCharacter(Number.parseInt(octal || "0", 8) & 0xff);
    if (hex !== undefined) return byteCharacter(Number.parseInt(hex, 16));
    const code = short ?? long;
    return code === undefined
      ? ""
      : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
  });
  if (cut === -1) return { text: joinBytes(decoded), isCut: false };
  return { text: decodeEscapes(text.slice(0, cut)).text, isCut: true };
}
