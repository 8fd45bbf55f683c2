import type { ShellCommand } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

export const id: ShellCommand = {
  name: "id",
  run(args) {
    const { options } = parseArguments(args, {
      flags: "ugGnr",
      long: { user: "u", group: "g", groups: "G", name: "n" },
    });
    if (!["u", "g", "G"].some((letter) => options.has(letter))) {
      return { stdout: "uid=1000(user) gid=1000(user) groups=1000(user)\n" };
    }
    return { stdout: options.has("n") ? "user\n" : "1000\n" };
  },
};
