import { FileSystemError } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { parseMode } from "./modes.ts";

/** Makes directories: `-p` with their parents, `-m MODE`, `-v`. */
export const mkdir: ShellCommand = {
  name: "mkdir",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "pvZ",
      valued: "m",
      long: { parents: "p", verbose: "v", mode: "m" },
    });
    if (operands.length === 0) throw new Error("missing operand");
    const written = options.get("m");
    const mode = written === undefined ? undefined : parseMode(written, context.umask)(0o777, true);
    let [stdout, stderr] = ["", ""];
    for (const operand of operands) {
      try {
        const made = options.has("p")
          ? await makeWithParents(context, operand)
          : await make(context, operand);
        if (options.has("v"))
          stdout += made.map((name) => `mkdir: created directory '${name}'\n`).join("");
        // The mode is that of the last one, and only of a new one.
        if (mode !== undefined && made.length > 0)
          await context.fs.chmod(context.resolve(operand), mode);
      } catch (error) {
        stderr += `mkdir: cannot create directory '${operand}': ${explain(error)}\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

async function make({ fs, resolve }: ShellCommandContext, name: string): Promise<string[]> {
  const path = resolve(name);
  if (name === "") throw new FileSystemError("ENOENT", path);
  await fs.mkdir(path);
  return [name];
}

/** @returns the directories that were missing */
async function makeWithParents(context: ShellCommandContext, name: string): Promise<string[]> {
  const { fs, resolve } = context;
  const made: string[] = [];
  const parts = name.split("/");
  for (let count = 1; count <= parts.length; count++) {
    const part = parts[count - 1] ?? "";
    if (part === "" || part === ".") continue;
    const prefix = parts.slice(0, count).join("/");
    const stat = await fs.stat(resolve(prefix)).catch((error: unknown) => {
      if (error instanceof FileSystemError && error.code === "ENOENT") return undefined;
      throw error;
    });
    if (stat?.type === "directory") continue;
    if (stat)
      throw new FileSystemError(count === parts.length ? "EEXIST" : "ENOTDIR", resolve(prefix));
    await fs.mkdir(resolve(prefix));
    made.push(prefix);
  }
  if (name === "") throw new FileSystemError("ENOENT", resolve(name));
  return made;
}
