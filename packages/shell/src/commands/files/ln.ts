import type { ShellCommand } from "../../command.ts";

/** Reports that hard links are unsupported; everything else is the bundle's own. */
export const ln: ShellCommand = {
  name: "ln",
  run(args, { original }) {
    if (args.some((arg) => /^-[a-zA-Z]*s|^--(?:symbolic|help)$/.test(arg))) return original(args);
    const name = args.findLast((arg) => !arg.startsWith("-"));
    if (name === undefined) return original(args);
    const stderr = `ln: failed to create hard link '${name}': hard links are not supported, use ln -s\n`;
    return { stderr, exitCode: 1 };
  },
};
