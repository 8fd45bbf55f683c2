import { print, report } from "../run/process.ts";
import { parseOptions, withTexts } from "./builtin.ts";

const ALL = 0o777;
const MAX_MODE = 0o7777;
const BITS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 };
const CLASSES: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: ALL };

/** `umask`: shows or sets the rights that new files don't have, as a number or as the rights that they may have. */
export const umask = withTexts(async (process, args, name) => {
  const { state } = process;
  const { options, rest, wrong } = parseOptions(args, { flags: "pS" });
  if (wrong !== undefined) {
    await report(process, `${name}: ${wrong}: invalid option`);
    await print(process, 2, "umask: usage: umask [-p] [-S] [mode]\n");
    return 2;
  }
  const [mode] = rest;
  if (mode !== undefined) {
    const mask = /^\d/.test(mode) ? octalMask(mode) : symbolicMask(mode, state.umask);
    if (typeof mask === "string") {
      await report(process, `${name}: ${mask}`);
      return 1;
    }
    state.umask = mask;
  }
  const text = options.has("S") ? symbolic(state.umask) : octal(state.umask);
  if (mode === undefined)
    await print(
      process,
      1,
      options.has("p") ? `umask ${options.has("S") ? "-S " : ""}${text}\n` : `${text}\n`,
    );
  else if (options.has("S")) await print(process, 1, `${text}\n`);
  return 0;
});

function octal(mask: number): string {
  return mask.toString(8).padStart(4, "0");
}

function symbolic(mask: number): string {
  return ["u", "g", "o"]
    .map((who) => {
      const rights = Object.entries(BITS).filter(
        ([, bits]) => (~mask & bits & (CLASSES[who] ?? 0)) !== 0,
      );
      return `${who}=${rights.map(([letter]) => letter).join("")}`;
    })
    .join(",");
}

/** @returns the mask, or what is wrong */
function octalMask(text: string): number | string {
  const mask = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  return mask <= MAX_MODE ? mask & ALL : `${text}: octal number out of range`;
}

/** The mask that changes of the allowed rights, such as `g-w,o=`, make of another. @returns what is wrong with a text */
function symbolicMask(text: string, mask: number): number | string {
  let allowed = ~mask & ALL;
  for (const clause of text.split(",")) {
    const [, who = "", operator, letters = ""] = /^([ugoa]*)([-+=])?(.*)$/s.exec(clause) ?? [];
    if (operator === undefined) return `\`${letters.charAt(0)}': invalid symbolic mode operator`;
    const unknown = Array.from(letters).find((letter) => BITS[letter] === undefined);
    if (unknown !== undefined) return `\`${unknown}': invalid symbolic mode character`;
    const scope = Array.from(who || "a").reduce((sum, one) => sum | (CLASSES[one] ?? 0), 0);
    const bits = Array.from(letters).reduce((sum, one) => sum | (BITS[one] ?? 0), 0) & scope;
    if (operator === "+") allowed |= bits;
    else allowed = operator === "-" ? allowed & ~bits : (allowed & ~scope) | bits;
  }
  return ~allowed & ALL;
}
