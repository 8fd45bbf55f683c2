import type { FileStat } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { permissionsOf } from "../file-words.ts";
import { type ModeChange, parseMode } from "./modes.ts";

type Options = ReadonlyMap<string, string>;

interface Task {
  readonly context: ShellCommandContext;
  readonly options: Options;
  readonly change: ModeChange;
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Changes modes: `-R`, `-v`, `-c`, `-f`, `--reference=FILE`. */
export const chmod: ShellCommand = {
  name: "chmod",
  async run(args, context) {
    const { removed, rest } = withoutRemoval(args);
    const { options, operands } = parseArguments(rest, {
      flags: "cfRv",
      long: {
        changes: "c",
        "no-preserve-root": "no-preserve-root",
        "preserve-root": "preserve-root",
        quiet: "f",
        recursive: "R",
        reference: "reference",
        silent: "f",
        verbose: "v",
      },
    });
    const reference = options.get("reference");
    const files = [...operands];
    const mode = reference === undefined ? (removed ?? files.shift()) : undefined;
    if (reference === undefined && mode === undefined) throw new Error("missing operand");
    if (files.length === 0)
      throw new Error(mode ? `missing operand after '${mode}'` : "missing operand");
    const change =
      mode === undefined ? await modeOf(context, reference ?? "") : parseMode(mode, context.umask);
    const task: Task = { context, options, change, stdout: "", stderr: "", exitCode: 0 };
    for (const file of files) await visit(task, file, true);
    const { stdout, stderr, exitCode } = task;
    return { stdout, stderr: options.has("f") ? "" : stderr, exitCode };
  },
};

/** Splits off a mode that begins with a minus, such as `-x`, which looks like an option. */
function withoutRemoval(args: readonly string[]): {
  removed: string | undefined;
  rest: string[];
} {
  const at = args.findIndex((arg) => /^-[rwxXst]/.test(arg) || !arg.startsWith("-"));
  const word = args[at];
  if (word === undefined || !word.startsWith("-")) return { removed: undefined, rest: [...args] };
  return { removed: word, rest: args.filter((_arg, index) => index !== at) };
}

async function modeOf({ fs, resolve }: ShellCommandContext, name: string): Promise<ModeChange> {
  const { mode } = await fs.stat(resolve(name)).catch((error: unknown) => {
    throw new Error(`failed to get attributes of '${name}': ${explain(error)}`, { cause: error });
  });
  return () => mode;
}

async function visit(task: Task, name: string, isOperand: boolean): Promise<void> {
  const { context, options } = task;
  const { fs, resolve, pace } = context;
  const turn = pace();
  if (turn) await turn;
  try {
    const path = resolve(name);
    // Links have no modes; those given are followed, and those found are left.
    const link = await fs.lstat(path);
    if (link.type === "symlink" && !isOperand) return;
    const stat = link.type === "symlink" ? await fs.stat(path) : link;
    await changeMode(task, name, stat);
    if (!options.has("R") || link.type !== "directory") return;
    const names = (await fs.readdir(path)).map((entry) => entry.name).sort();
    for (const entry of names) await visit(task, `${name.replace(/\/+$/, "")}/${entry}`, false);
  } catch (error) {
    task.stderr += `chmod: cannot access '${name}': ${explain(error)}\n`;
    task.exitCode = 1;
  }
}

async function changeMode(task: Task, name: string, stat: FileStat): Promise<void> {
  const { context, options, change } = task;
  const path = context.resolve(name);
  const before = stat.mode & 0o7777;
  const wanted = change(before, stat.type === "directory") & 0o7777;
  if (wanted !== before) await context.fs.chmod(path, wanted);
  const [was, is] = [before, wanted].map(
    (mode) => `${mode.toString(8).padStart(4, "0")} (${permissionsOf({ ...stat, mode }).slice(1)})`,
  );
  if (was !== is && (options.has("v") || options.has("c")))
    task.stdout += `mode of '${name}' changed from ${was} to ${is}\n`;
  else if (options.has("v")) task.stdout += `mode of '${name}' retained as ${is}\n`;
}
