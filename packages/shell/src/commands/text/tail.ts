import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { amountOf, modern, printSelected, afterLine, beforeLine, long } from "./head-tail.ts";

/** `-f` prints the existing lines and ends, since nothing else runs that could append. */
export const tail: ShellCommand = {
  name: "tail",
  async run(args, context) {
    const plain = args.map((arg, at) => (at === 0 && /^\+\d+$/.test(arg) ? `-n${arg}` : arg));
    const { options, operands } = parseArguments(modern(plain), {
      flags: "fFqvz",
      valued: "ncs",
      long: { ...long, follow: "f" },
    });
    const { unit, count, isInverted } = amountOf(options, "+");
    return printSelected("tail", operands, options, context, (bytes) => {
      const start = Math.max(0, count - 1);
      if (unit === "bytes") {
        return bytes.subarray(isInverted ? start : Math.max(0, bytes.length - count));
      }
      return bytes.subarray(isInverted ? afterLine(bytes, start) : beforeLine(bytes, count));
    });
  },
};
