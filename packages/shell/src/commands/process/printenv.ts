import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Prints exported variables, all or those named: `-0`. */
export const printenv: ShellCommand = {
  name: "printenv",
  run(args, { env }) {
    const { options, operands } = parseArguments(
      args,
      { flags: "0", long: { null: "0" } },
      { stopAtOperand: true },
    );
    const end = options.has("0") ? "\0" : "\n";
    if (operands.length === 0) {
      const lines = Object.entries(env).map(([name, value]) => `${name}=${value}${end}`);
      return { stdout: lines.join("") };
    }
    const values = operands.map((name) => (Object.hasOwn(env, name) ? env[name] : undefined));
    const known = values.filter((value) => value !== undefined);
    return {
      stdout: known.map((value) => value + end).join(""),
      exitCode: known.length === values.length ? 0 : 1,
    };
  },
};
