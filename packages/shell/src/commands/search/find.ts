import { errorMessage, basename, dirname } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { explain } from "../arguments.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";
import {
  formatted,
  testOf,
  type Batch,
  type Item,
  type Plan,
  type Test,
  type Walk,
} from "./find-tests.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";
import { compilePattern, type Dialect } from "./pattern.ts";
import { inodeOf } from "../files/stat.ts";

/** Walks directories in the order of their names. */
export const find: ShellCommand = {
  name: "find",
  async run(args, context): Promise<ShellCommandResult> {
    try {
      const words = [...args];
      let isFollowed = false;
      while (/^-[LHP]$/.test(words[0] ?? "")) isFollowed = words.shift() === "-L";
      const roots: string[] = [];
      while (words[0] !== undefined && !/^(?:-.|[!(),])/.test(words[0]))
        roots.push(words.shift() ?? "");
      const plan = await createPlan(words, context, isFollowed);
      const walk: Walk = {
        context,
        output: [],
        stderr: "",
        exitCode: 0,
        isPruned: false,
        hasQuit: false,
        batches: plan.batches,
      };
      for (const root of roots.length > 0 ? roots : ["."]) {
        await visit(walk, plan, { name: root, root, path: context.resolve(root), depth: 0 });
        if (walk.hasQuit) break;
      }
      for (const { words: command, names } of walk.batches) {
        if (names.length === 0) continue;
        const filled = command.flatMap((word) => (word === "{}" ? names : word));
        if ((await runCommand(walk, filled)) !== 0) walk.exitCode = 1;
      }
      return { stdout: walk.output.join(""), stderr: walk.stderr, exitCode: walk.exitCode };
    } catch (error) {
      return { stderr: `find: ${errorMessage(error)}\n`, exitCode: 1 };
    }
  },
};

async function runCommand(walk: Walk, words: readonly string[]): Promise<number> {
  const [program = "", ...rest] = words;
  const result = await walk.context.run(program, rest);
  const { stdout } = result;
  walk.output.push(typeof stdout === "string" ? stdout : new TextDecoder().decode(stdout));
  walk.stderr += result.stderr;
  return result.exitCode;
}

async function visit(walk: Walk, plan: Plan, place: Omit<Item, "stat">): Promise<void> {
  const { fs, signal } = walk.context;
  if (signal.aborted) throw new Error("interrupted");
  let item: Item;
  try {
    const stat = await (plan.isFollowed
      ? fs.stat(place.path).catch(() => fs.lstat(place.path))
      : fs.lstat(place.path));
    item = { ...place, stat };
  } catch (error) {
    walk.stderr += `find: '${place.name}': ${explain(error)}\n`;
    walk.exitCode = 1;
    return;
  }
  let ancestor: Ancestor | undefined;
  if (plan.isFollowed && item.stat.type === "directory") {
    const { entered, loop } = await enterDirectory(fs, item, item.parent);
    if (loop) {
      walk.stderr += `find: File system loop detected; '${item.name}' is part of the same file system loop as '${loop.name}'.\n`;
      walk.exitCode = 1;
      return;
    }
    ancestor = entered;
  }
  const look = async (): Promise<void> => {
    if (item.depth >= plan.from) await plan.test(item, walk);
  };
  walk.isPruned = false;
  if (!plan.isDeep) await look();
  const isEntered = item.stat.type === "directory" && !walk.isPruned && item.depth < plan.to;
  if (isEntered && !walk.hasQuit) {
    const names = (await fs.readdir(item.path)).map(({ name }) => name);
    for (const name of names.sort((one, other) => (one < other ? -1 : 1))) {
      const separator = item.name.endsWith("/") ? "" : "/";
      await visit(walk, plan, {
        name: `${item.name}${separator}${name}`,
        root: item.root,
        path: `${item.path === "/" ? "" : item.path}/${name}`,
        depth: item.depth + 1,
        parent: ancestor,
      });
      if (walk.hasQuit) return;
    }
  }
  if (plan.isDeep) await look();
}

async function createPlan(
  words: readonly string[],
  context: ShellCommandContext,
  isFollowed: boolean,
): Promise<Plan> {
  const plan: Plan = {
    test: () => true,
    batches: [],
    hasAction: false,
    isDeep: false,
    isFollowed,
    from: 0,
    to: Number.POSITIVE_INFINITY,
  };
  let at = 0;
  let dialect: Dialect = "basic";
  const next = (name: string): string => {
    const value = words[at];
    if (value === undefined) throw new Error(`missing argument to \`${name}'`);
    at += 1;
    return value;
  };
  const print = (end: string): Test => {
    plan.hasAction = true;
    return ({ name }, { output }) => output.push(`${name}${end}`) > 0;
  };
  const primary = async (): Promise<Test> => {
    const name = words[at];
    if (name === undefined) throw new Error("expected an expression after the operator");
    at += 1;
    if (name === "(") {
      const inner = await list();
      if (words[at] !== ")")
        throw new Error(
          "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        );
      at += 1;
      return inner;
    }
    if (name === "!" || name === "-not") {
      const inner = await primary();
      return async (item, walk) => !(await inner(item, walk));
    }
    if (name === "-print") return print("\n");
    if (name === "-print0") return print("\0");
    if (name === "-exec" || name === "-execdir" || name === "-ok") return execute(name);
    if (name === "-maxdepth" || name === "-mindepth") {
      const depth = Number(next(name));
      if (name === "-maxdepth") plan.to = depth;
      else plan.from = depth;
      return () => true;
    }
    if (name === "-depth" || name === "-d" || name === "-delete") plan.isDeep = true;
    if (name === "-regextype") {
      const type = next(name);
      dialect = /extended|egrep|awk/.test(type) ? "extended" : "basic";
      return () => true;
    }
    if (name === "-regex" || name === "-iregex") {
      // Emacs is the default: basic groups and alternatives, but + and ? without a backslash.
      const source = next(name);
      const written =
        dialect === "basic"
          ? source.replace(
              /(\\.)|([+?])/g,
              (_all, kept?: string, sign?: string) => kept ?? `\\${sign}`,
            )
          : source;
      const pattern = await compilePattern([written], {
        dialect,
        isLine: true,
        isCaseIgnored: name === "-iregex",
      });
      return (item) => pattern.find(item.name, 0) !== undefined;
    }
    const action = actionOf(name, next, plan);
    if (action) return action;
    return testOf(name, next, context);
  };
  const execute = (name: string): Test => {
    plan.hasAction = true;
    const command: string[] = [];
    for (let word = next(name); word !== ";"; word = next(name)) {
      if (word === "+" && command.at(-1) === "{}") {
        const batch: Batch = { words: command, names: [] };
        plan.batches.push(batch);
        return (item) => batch.names.push(item.name) > 0;
      }
      command.push(word);
    }
    return async (item, walk) => {
      const shown = name === "-execdir" ? `./${basename(item.path)}` : item.name;
      const filled = command.map((word) => word.replaceAll("{}", shown));
      if (name !== "-execdir") return (await runCommand(walk, filled)) === 0;
      const script = 'cd "$1" && shift && "$@"';
      return (
        (await runCommand(walk, ["bash", "-c", script, "find", dirname(item.path), ...filled])) ===
        0
      );
    };
  };
  const conjunction = async (): Promise<Test> => {
    const tests = [await primary()];
    while (words[at] !== undefined && ![")", "-o", "-or", ","].includes(words[at] ?? "")) {
      if (words[at] === "-a" || words[at] === "-and") at += 1;
      tests.push(await primary());
    }
    return async (item, walk) => {
      for (const test of tests) if (!(await test(item, walk))) return false;
      return true;
    };
  };
  const list = async (): Promise<Test> => {
    let whole = await conjunction();
    while (words[at] === "-o" || words[at] === "-or" || words[at] === ",") {
      const isComma = words[at] === ",";
      at += 1;
      const [left, right] = [whole, await conjunction()];
      whole = async (item, walk) => {
        const result = await left(item, walk);
        return result && !isComma ? true : right(item, walk);
      };
    }
    return whole;
  };
  if (words.length > 0) plan.test = await list();
  if (at < words.length) throw new Error(`paths must precede expression: \`${words[at]}'`);
  if (!plan.hasAction) {
    const { test } = plan;
    plan.test = async (item, walk) =>
      (await test(item, walk)) && walk.output.push(`${item.name}\n`) > 0;
  }
  return plan;
}

function actionOf(name: string, next: (name: string) => string, plan: Plan): Test | undefined {
  const done = (test: Test): Test => {
    plan.hasAction = true;
    return test;
  };
  if (name === "-prune") {
    return (_item, walk) => {
      walk.isPruned = true;
      return true;
    };
  }
  if (name === "-quit") {
    return done((_item, walk) => {
      walk.hasQuit = true;
      return true;
    });
  }
  if (name === "-delete") {
    return done(async (item, walk) => {
      if (item.name === "." || item.name === "./") return true;
      try {
        const { fs } = walk.context;
        if (item.stat.type === "directory" && (await fs.readdir(item.path)).length > 0) {
          throw new Error("Directory not empty");
        }
        await fs.remove(item.path, { recursive: item.stat.type === "directory" });
        return true;
      } catch (error) {
        walk.stderr += `find: cannot delete '${item.name}': ${errorMessage(error)}\n`;
        walk.exitCode = 1;
        return false;
      }
    });
  }
  if (name === "-printf" || name === "-fprintf") {
    const format = next(name);
    return done(
      async (item, { output, context }) => output.push(await formatted(format, item, context)) > 0,
    );
  }
  if (name === "-ls") {
    return done(({ name: shown, path, stat }, { output }) => {
      const time = timestampOf(stat.mtimeMs).slice(0, 16);
      return (
        output.push(
          `${inodeOf(path)} ${Math.ceil(stat.size / 1024)} ${permissionsOf(stat)} 1 user user ${stat.size} ${time} ${shown}\n`,
        ) > 0
      );
    });
  }
  return undefined;
}
