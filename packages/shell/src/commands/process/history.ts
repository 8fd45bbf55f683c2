import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Lists nothing, since a shell that runs scripts keeps no history; `-p` prints its words. */
export const history: ShellCommand = {
  name: "history",
  run(args) {
    const { options, operands } = parseArguments(args, { flags: "acnprsw", valued: "d" });
    const [count] = operands;
    if (options.has("p")) return { stdout: operands.map((word) => `${word}\n`).join("") };
    if (options.size === 0 && count !== undefined && !/^\d+$/.test(count))
      throw new Error(`${count}: numeric argument required`);
    return {};
  },
};
