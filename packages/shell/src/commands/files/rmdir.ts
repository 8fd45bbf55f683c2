import { FileSystemError } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";

/** Removes empty directories: `-p` with their parents, `-v`, `--ignore-fail-on-non-empty`. */
export const rmdir: ShellCommand = {
  name: "rmdir",
  async run(args, { fs, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "pv",
      long: {
        parents: "p",
        verbose: "v",
        "ignore-fail-on-non-empty": "ignore-fail-on-non-empty",
      },
    });
    if (operands.length === 0) throw new Error("missing operand");
    let [stdout, stderr] = ["", ""];
    const remove = async (name: string): Promise<boolean> => {
      if (options.has("v")) stdout += `rmdir: removing directory, '${name}'\n`;
      const path = resolve(name);
      try {
        if ((await fs.lstat(path)).type !== "directory") throw new FileSystemError("ENOTDIR", path);
        if ((await fs.readdir(path)).length > 0) throw new FileSystemError("ENOTEMPTY", path);
        await fs.remove(path, { recursive: true });
        return true;
      } catch (error) {
        const isFull = error instanceof FileSystemError && error.code === "ENOTEMPTY";
        const reason = isFull ? "Directory not empty" : explain(error);
        if (!isFull || !options.has("ignore-fail-on-non-empty"))
          stderr += `rmdir: failed to remove '${name}': ${reason}\n`;
        return false;
      }
    };
    for (const operand of operands) {
      for (const name of options.has("p") ? withParents(operand) : [operand])
        if (!(await remove(name))) break;
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

/** `a/b/c`, `a/b` and `a`. */
function withParents(path: string): string[] {
  const names: string[] = [];
  for (let name = path; name !== "" && name !== "/";) {
    names.push(name);
    const trimmed = name.replace(/\/+$/, "");
    name = trimmed.slice(0, Math.max(0, trimmed.lastIndexOf("/"))).replace(/\/+$/, "");
  }
  return names;
}
