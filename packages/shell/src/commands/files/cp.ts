import { dirname, isWithin } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";
import { type Task, lstat, isDirectory, toTarget, Complaint } from "./copying.ts";

export const cp: ShellCommand = {
  name: "cp",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "aRrdfinpPLHuvTlsx",
      valued: "t",
      long: {
        archive: "a",
        recursive: "r",
        force: "f",
        interactive: "i",
        "no-clobber": "n",
        preserve: "p",
        "no-dereference": "P",
        dereference: "L",
        update: "u",
        verbose: "v",
        "target-directory": "t",
        "no-target-directory": "T",
        parents: "parents",
        "symbolic-link": "s",
        "no-preserve": "no-preserve",
        reflink: "reflink",
      },
    });
    const task: Task = { context, options, report: [], complaints: [] };
    return toTarget("cp", task, operands, async (source, target) => {
      if (options.has("parents")) {
        await context.fs.mkdir(dirname(context.resolve(target)), { recursive: true });
      }
      await copy(task, source, target, { isOperand: true });
    });
  },
};

async function copy(
  task: Task,
  source: string,
  target: string,
  { isOperand, parent }: { isOperand: boolean; parent?: Ancestor | undefined },
): Promise<void> {
  const { context, options, report } = task;
  const { fs, resolve, signal } = context;
  if (signal.aborted) return;
  const [from, to] = [resolve(source), resolve(target)];
  const isDeep = ["r", "R", "a"].some((letter) => options.has(letter));
  const keepsLinks =
    ["P", "d", "a"].some((letter) => options.has(letter)) || (isDeep && !isOperand);
  const isKept = keepsLinks && !options.has("L");
  const stat = await (isKept ? fs.lstat(from) : fs.stat(from));
  const before = await lstat(context, to);
  if (stat.type === "directory") {
    if (!isDeep) throw new Complaint(`-r not specified; omitting directory '${source}'`);
    if (isWithin(from, to))
      throw new Complaint(`cannot copy a directory, '${source}', into itself, '${target}'`);
    if (before && !(await isDirectory(context, to))) {
      throw new Complaint(`cannot overwrite non-directory '${target}' with directory '${source}'`);
    }
    const { entered, loop } = isKept
      ? {}
      : await enterDirectory(fs, { name: source, path: from }, parent);
    if (loop) {
      task.complaints.push(`cannot copy cyclic symbolic link '${source}'`);
      return;
    }
    const names = (await fs.readdir(from)).map(({ name }) => name);
    if (!before) await makeDirectory(context, target, to);
    if (!before && options.has("v")) report.push(`'${source}' -> '${target}'\n`);
    for (const name of names) {
      await copy(task, `${source.replace(/\/$/, "")}/${name}`, `${target}/${name}`, {
        isOperand: false,
        parent: entered,
      });
    }
    if (["a", "p"].some((letter) => options.has(letter))) await fs.utimes(to, stat.mtimeMs);
    return;
  }
  if (
    from === to ||
    (before && !isKept && (await fs.realpath(from)) === (await fs.realpath(to).catch(() => to)))
  ) {
    throw new Complaint(`'${source}' and '${target}' are the same file`);
  }
  if (before && options.has("n")) return;
  if (before?.type === "directory") {
    throw new Complaint(`cannot overwrite directory '${target}' with non-directory`);
  }
  if (before && options.has("u") && before.mtimeMs >= stat.mtimeMs) return;
  try {
    if (stat.type === "symlink" || options.has("s")) {
      if (before) await fs.remove(to);
      await fs.symlink(stat.type === "symlink" ? await fs.readlink(from) : source, to);
    } else {
      await fs.writeFile(to, await fs.readFile(from));
      // An existing file keeps its own mode.
      const isPreserving = ["a", "p"].some((letter) => options.has(letter));
      if (!before || isPreserving)
        await fs.chmod(to, stat.mode & 0o777 & (isPreserving ? 0o777 : ~context.umask));
      if (isPreserving) await fs.utimes(to, stat.mtimeMs);
    }
  } catch (error) {
    throw new Complaint(`cannot create regular file '${target}': ${explain(error)}`);
  }
  if (options.has("v")) report.push(`'${source}' -> '${target}'\n`);
}

async function makeDirectory(
  { fs }: ShellCommandContext,
  name: string,
  path: string,
): Promise<void> {
  try {
    await fs.mkdir(path);
  } catch (error) {
    throw new Complaint(`cannot create directory '${name}': ${explain(error)}`);
  }
}
