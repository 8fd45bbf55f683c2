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
      const valid = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?/.exec(letters)?.[0] ?? "";
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
