import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { parseSize } from "../byte-lines.ts";

const MAX_SIZE = 256 * 1024 * 1024;

/** Sets a file's size: `-s 100`, `-s +5`, `-s -5`, `-s '<5'`, `-s '>5'`, `-c`, `-r`. */
export const truncate: ShellCommand = {
  name: "truncate",
  async run(args, { fs, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "co",
      valued: "sr",
      long: { size: "s", "no-create": "c", reference: "r" },
    });
    const reference = options.get("r");
    const text =
      reference === undefined ? options.get("s") : String((await fs.stat(resolve(reference))).size);
    if (text === undefined) throw new Error("you must specify either '--size' or '--reference'");
    const [, sign = "", digits = ""] = /^([-+<>]?)(.*)$/.exec(text) ?? [];
    const amount = parseSize(digits);
    if (amount === undefined) throw new Error(`Invalid number: '${text}'`);
    if (operands.length === 0) throw new Error("missing file operand");
    for (const operand of operands) {
      const before = await fs.readFile(resolve(operand)).catch(() => undefined);
      if (!before && options.has("c")) continue;
      const size = before?.length ?? 0;
      const wanted =
        {
          "+": size + amount,
          "-": Math.max(0, size - amount),
          "<": Math.min(size, amount),
          ">": Math.max(size, amount),
        }[sign] ?? amount;
      if (wanted > MAX_SIZE)
        throw new Error(`failed to truncate '${operand}' at ${wanted} bytes: File too large`);
      const after = new Uint8Array(wanted);
      after.set((before ?? new Uint8Array()).subarray(0, wanted));
      await fs.writeFile(resolve(operand), after);
    }
    return {};
  },
};
