import { basename, dirname } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { isDirectory, lstat } from "./copying.ts";
import { relativePath, resolveTo } from "./realpath.ts";

type Options = ReadonlyMap<string, string>;

/** Makes symbolic links: `-s -f -n -r -T -t -v -b`. Hard links are not supported. */
export const ln: ShellCommand = {
  name: "ln",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "bfhnrsTvLP",
      valued: "tS",
      long: {
        backup: "b",
        force: "f",
        "no-dereference": "n",
        "no-target-directory": "T",
        relative: "r",
        suffix: "S",
        symbolic: "s",
        "target-directory": "t",
        verbose: "v",
      },
    });
    const links = await linksOf(context, options, operands);
    let [stdout, stderr] = ["", ""];
    for (const [target, name] of links) {
      const kind = options.has("s") ? "symbolic" : "hard";
      try {
        if (!options.has("s")) throw new Refusal("hard links are not supported, use ln -s");
        const told = await makeLink(context, options, target, name);
        if (options.has("v")) stdout += `${told}\n`;
      } catch (error) {
        const reason = error instanceof Refusal ? error.message : explain(error);
        stderr += `ln: failed to create ${kind} link '${name}': ${reason}\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

/** A link that can't be made, for a reason other than an error of the files. */
class Refusal extends Error {}

/** Targets and the names of their links. */
async function linksOf(
  context: ShellCommandContext,
  options: Options,
  operands: readonly string[],
): Promise<(readonly [target: string, name: string])[]> {
  const [first, second] = operands;
  if (first === undefined) throw new Error("missing file operand");
  const directory = options.get("t") ?? (second === undefined ? "." : undefined);
  const into = (place: string, targets: readonly string[]): (readonly [string, string])[] =>
    targets.map((target) => {
      const name = basename(target.replace(/(.)\/+$/, "$1"));
      return [target, place === "." ? name : `${place.replace(/\/+$/, "")}/${name}`] as const;
    });
  if (directory !== undefined) return into(directory, operands);
  const last = operands.at(-1) ?? "";
  const targets = operands.slice(0, -1);
  if (await isPlace(context, options, last)) return into(last, targets);
  if (targets.length > 1) throw new Error(`target '${last}' is not a directory`);
  return [[first, last]];
}

/** Reports whether links go into a directory of this name. With `-n` a link to one is a name. */
async function isPlace(
  context: ShellCommandContext,
  options: Options,
  name: string,
): Promise<boolean> {
  if (options.has("T")) return false;
  const path = context.resolve(name);
  const isName = options.has("n") || options.has("h");
  if (isName && (await lstat(context, path))?.type === "symlink") return false;
  return isDirectory(context, path);
}

/** @returns the line of `-v` */
async function makeLink(
  context: ShellCommandContext,
  options: Options,
  target: string,
  name: string,
): Promise<string> {
  const { fs, resolve } = context;
  const path = resolve(name);
  const kept = options.has("r") ? await relativeTarget(context, target, name) : target;
  const existing = await lstat(context, path);
  let backup = "";
  if (existing && existing.type !== "directory") {
    if (options.has("b")) {
      backup = `${name}${options.get("S") || "~"}`;
      await fs.rename(path, resolve(backup));
    } else if (options.has("f")) await fs.remove(path);
  }
  await fs.symlink(kept, path);
  return `${backup === "" ? "" : `'${backup}' ~ `}'${name}' -> '${kept}'`;
}

async function relativeTarget(
  context: ShellCommandContext,
  target: string,
  name: string,
): Promise<string> {
  const missing = new Map([["m", ""]]);
  const from = await resolveTo(context, dirname(context.resolve(name)), missing);
  return relativePath(from, await resolveTo(context, target, missing));
}
