import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

export const whoami: ShellCommand = {
  name: "whoami",
  run(args) {
    const [extra] = parseArguments(args, {}).operands;
    if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
    return { stdout: "user\n" };
  },
};
