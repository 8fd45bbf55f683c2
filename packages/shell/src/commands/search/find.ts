import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandResult } from "../../command.ts";
import { explain } from "../arguments.ts";
import type { Item, Plan, Walk } from "./find-tests.ts";
import { readPlan, runCommand } from "./find-plan.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";

/** Walks directories in name order. */
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
      const plan = await readPlan(words, context, isFollowed);
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
