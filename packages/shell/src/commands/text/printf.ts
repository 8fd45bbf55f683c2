import type { ShellCommand } from "../../command.ts";
import { textOf } from "../output-text.ts";

/** Adds bytes above 127 written as `\xff` or `\377`; everything else is the interpreter's own. */
export const printf: ShellCommand = {
  name: "printf",
  async run(args, { original }) {
    const pattern = /\\x([89a-f][\da-f])|\\([23][0-7]{2})/gi;
    const [format = "", ...rest] = args;
    if (format.startsWith("-") || ![format, ...rest].some((arg) => arg.search(pattern) !== -1)) {
      return original(args);
    }
    // Private-use characters stand for the bytes until the text is encoded.
    const first = 0xf700;
    const marked = (text: string): string =>
      text.replace(pattern, (_whole, hex?: string, octal?: string) =>
        String.fromCharCode(
          first + Number.parseInt(hex ?? octal ?? "0", hex === undefined ? 8 : 16),
        ),
      );
    const isEscaped = /%b/.test(format);
    const result = await original([
      marked(format),
      ...rest.map((arg) => (isEscaped ? marked(arg) : arg)),
    ]);
    const bytes: number[] = [];
    for (const character of textOf(result)) {
      const code = character.codePointAt(0) ?? 0;
      if (code >= first && code < first + 256) bytes.push(code - first);
      else bytes.push(...new TextEncoder().encode(character));
    }
    return { ...result, stdout: Uint8Array.from(bytes) };
  },
};
