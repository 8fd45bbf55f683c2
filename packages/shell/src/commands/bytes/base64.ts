import { encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments, readOperand } from "../arguments.ts";

/** Rejects invalid base64, and prints the part before it. */
export const base64: ShellCommand = {
  name: "base64",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "dDi",
      valued: "w",
      long: { decode: "d", wrap: "w", "ignore-garbage": "i" },
    });
    const bytes = await readOperand(context, operands[0] ?? "-");
    if (options.has("d") || options.has("D")) {
      const text = new TextDecoder().decode(bytes).replace(/\s+/g, "");
      const letters = options.has("i") ? text.replace(/[^A-Za-z0-9+/=]/g, "") : text;
      const valid = validPart(letters);
      const stdout = fromByteString(atob(valid.replace(/=+$/, "")));
      if (valid === letters) return { stdout };
      return { stdout, stderr: "base64: invalid input\n", exitCode: 1 };
    }
    const text = btoa(toByteString(bytes));
    const width = Number(options.get("w") ?? 76);
    if (width === 0 || text === "") return { stdout: encodeText(text) };
    return { stdout: text.replace(new RegExp(`.{1,${width}}`, "g"), "$&\n") };
  },
};

/** The part before the first character that does not belong there, up to a whole byte. */
function validPart(text: string): string {
  const end = text.search(/[^A-Za-z0-9+/]/);
  const letters = end === -1 ? text : text.slice(0, end);
  const odd = letters.length % 4;
  if (odd === 0) return letters;
  if (odd === 1) return letters.slice(0, -1);
  const padding = /^={0,2}/.exec(text.slice(letters.length, letters.length + 2))?.[0] ?? "";
  return letters + padding;
}
