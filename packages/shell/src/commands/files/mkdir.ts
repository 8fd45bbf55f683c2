import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Adds `-m` to the bundle's own. */
export const mkdir: ShellCommand = {
  name: "mkdir",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "pvZ",
      valued: "m",
      long: { parents: "p", verbose: "v", mode: "m" },
    });
    const mode = options.get("m");
    const plain = [...options.keys()]
      .filter((name) => "pv".includes(name))
      .map((name) => `-${name}`);
    const result = await context.original(
      [...plain, "--", ...operands].filter((word) => word !== "--"),
    );
    if (mode === undefined || result.exitCode !== 0) return result;
    const changed = await context.run("chmod", [mode, ...operands]);
    return { ...result, stderr: result.stderr + changed.stderr, exitCode: changed.exitCode };
  },
};
