import type { ShellCommand } from "../../command.ts";
import { encodeText } from "@robota/runtime/ports";
import { decodeByteString, fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, splitLines } from "../byte-lines.ts";
import { bytePartsOf, createPrinter } from "../streams.ts";

/** Reverses the characters of lines. */
export const rev: ShellCommand = {
  name: "rev",
  async run(args, context) {
    const { options, operands } = parseArguments(args, { flags: "0", long: { zero: "0" } });
    const end = options.has("0") ? "\0" : "\n";
    const printer = createPrinter(context);
    const failed = await forEachOperand("rev", operands, async (operand) => {
      for await (const part of bytePartsOf(context, operand, end)) {
        const output: string[] = [];
        for (const line of splitLines(part, end)) {
          const turn = context.pace(1 + line.length / 256);
          if (turn) await turn;
          output.push(reversed(line));
        }
        // The last line has an end only if it had one.
        const text = output.join(end) + (part.endsWith(end) ? end : "");
        await printer.print(fromByteString(text));
      }
    });
    return { stdout: printer.rest(), ...failed };
  },
};

function reversed(line: string): string {
  const characters = Array.from(decodeByteString(line)).toReversed().join("");
  return toByteString(encodeText(characters));
}
