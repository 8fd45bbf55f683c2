import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { Complaint } from "./copying.ts";

export const rm: ShellCommand = {
  name: "rm",
  async run(args, { fs, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "rRfidvI",
      long: {
        recursive: "r",
        force: "f",
        dir: "d",
        verbose: "v",
        interactive: "i",
        "preserve-root": "preserve-root",
        "one-file-system": "one-file-system",
      },
    });
    const isDeep = options.has("r") || options.has("R");
    if (operands.length === 0 && !options.has("f")) throw new Error("missing operand");
    let [stdout, stderr] = ["", ""];
    for (const operand of operands) {
      const path = resolve(operand);
      try {
        if (path === "/") throw new Complaint("it is dangerous to operate recursively on '/'");
        if (/(?:^|\/)\.{1,2}\/*$/.test(operand)) {
          throw new Complaint(`refusing to remove '.' or '..' directory: skipping '${operand}'`);
        }
        const stat = await fs.lstat(path);
        if (stat.type === "directory" && !isDeep) {
          if (!options.has("d")) throw new Complaint(`cannot remove '${operand}': Is a directory`);
          if ((await fs.readdir(path)).length > 0) {
            throw new Complaint(`cannot remove '${operand}': Directory not empty`);
          }
        }
        await fs.remove(path, { recursive: stat.type === "directory" });
        if (options.has("v")) {
          stdout +=
            stat.type === "directory"
              ? `removed directory '${operand}'\n`
              : `removed '${operand}'\n`;
        }
      } catch (error) {
        const reason =
          error instanceof Complaint
            ? error.message
            : `cannot remove '${operand}': ${explain(error)}`;
        if (options.has("f") && /No such file|Not a directory/.test(reason)) continue;
        stderr += `rm: ${reason}\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};
