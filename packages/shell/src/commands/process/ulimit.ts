import type { ShellCommand } from "../../command.ts";

export const ulimit: ShellCommand = {
  name: "ulimit",
  run: (args) => ({ stdout: args.some((arg) => /^\d+$/.test(arg)) ? "" : "unlimited\n" }),
};
