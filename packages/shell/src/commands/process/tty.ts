import type { ShellCommand } from "../../command.ts";

export const tty: ShellCommand = {
  name: "tty",
  run: (args) => ({ stdout: args.includes("-s") ? "" : "not a tty\n", exitCode: 1 }),
};
