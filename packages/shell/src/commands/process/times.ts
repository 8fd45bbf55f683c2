import type { ShellCommand } from "../../command.ts";

export const times: ShellCommand = {
  name: "times",
  run: () => ({ stdout: "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n" }),
};
