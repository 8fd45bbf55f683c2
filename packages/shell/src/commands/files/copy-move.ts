import { type FileStat, basename, dirname, isWithin } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { explain, parseArguments, type Arguments } from "../arguments.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";

type Options = Arguments["options"];

interface Task {
  context: ShellCommandContext;
  options: Options;
  told: string[];
  /** What went wrong within a tree that is worked on nevertheless. */
  complaints: string[];
}

async function lstat({ fs }: ShellCommandContext, path: string): Promise<FileStat | undefined> {
  return fs.lstat(path).catch(() => undefined);
}

async function isDirectory({ fs }: ShellCommandContext, path: string): Promise<boolean> {
  return fs.stat(path).then(
    ({ type }) => type === "directory",
    () => false,
  );
}

/** Takes the last operand, or `-t`, as the place to go to, and runs `each` with the name that a source gets there. */
async function toTarget(
  program: string,
  { context, options, told, complaints }: Task,
  operands: readonly string[],
  each: (source: string, target: string) => Promise<void>,
): Promise<ShellCommandResult> {
  const sources = [...operands];
  const target = options.get("t") ?? sources.pop();
  if (target === undefined) throw new Error("missing file operand");
  if (sources.length === 0) throw new Error(`missing destination file operand after '${target}'`);
  const isInto = !options.has("T") && (await isDirectory(context, context.resolve(target)));
  if (!isInto && (sources.length > 1 || options.has("t") || options.has("parents"))) {
    throw new Error(`target '${target}' is not a directory`);
  }
  let stderr = "";
  for (const source of sources) {
    const name = options.has("parents") ? source : basename(context.resolve(source));
    // `src/.` stands for what is in it.
    const isContent = /(?:^|\/)\.$/.test(source);
    const place =
      isInto && !isContent
        ? `${target.replace(/\/$/, "")}/${name}`
        : target.replace(/(.)\/+$/, "$1");
    try {
      await each(source, place);
    } catch (error) {
      const reason =
        error instanceof Complaint ? error.message : `cannot stat '${source}': ${explain(error)}`;
      stderr += `${program}: ${reason}\n`;
    }
  }
  stderr += complaints.map((complaint) => `${program}: ${complaint}\n`).join("");
  return { stdout: told.join(""), stderr, exitCode: stderr === "" ? 0 : 1 };
}

class Complaint extends Error {}

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
    const task: Task = { context, options, told: [], complaints: [] };
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
  const { context, options, told } = task;
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
    if (!before && options.has("v")) told.push(`'${source}' -> '${target}'\n`);
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
      // A file that was there keeps its own mode.
      const isPreserving = ["a", "p"].some((letter) => options.has(letter));
      if (!before || isPreserving) await fs.chmod(to, stat.mode & 0o777);
      if (isPreserving) await fs.utimes(to, stat.mtimeMs);
    }
  } catch (error) {
    throw new Complaint(`cannot create regular file '${target}': ${explain(error)}`);
  }
  if (options.has("v")) told.push(`'${source}' -> '${target}'\n`);
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

export const mv: ShellCommand = {
  name: "mv",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "finuvT",
      valued: "t",
      long: {
        force: "f",
        interactive: "i",
        "no-clobber": "n",
        update: "u",
        verbose: "v",
        "target-directory": "t",
        "no-target-directory": "T",
      },
    });
    const task: Task = { context, options, told: [], complaints: [] };
    const { fs, resolve } = context;
    return toTarget("mv", task, operands, async (source, target) => {
      const [from, to] = [resolve(source), resolve(target)];
      const stat = await fs.lstat(from);
      const before = await lstat(context, to);
      if (from === to) throw new Complaint(`'${source}' and '${target}' are the same file`);
      if (stat.type === "directory" && isWithin(from, to)) {
        throw new Complaint(`cannot move '${source}' to a subdirectory of itself, '${target}'`);
      }
      if (before && options.has("n")) return;
      if (before && options.has("u") && before.mtimeMs >= stat.mtimeMs) return;
      if (before?.type === "directory" && stat.type !== "directory") {
        throw new Complaint(`cannot overwrite directory '${target}' with non-directory`);
      }
      if (before && before.type !== "directory" && stat.type === "directory") {
        throw new Complaint(
          `cannot overwrite non-directory '${target}' with directory '${source}'`,
        );
      }
      try {
        await fs.rename(from, to);
      } catch (error) {
        throw new Complaint(`cannot move '${source}' to '${target}': ${explain(error)}`);
      }
      if (options.has("v")) task.told.push(`renamed '${source}' -> '${target}'\n`);
    });
  },
};

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
