import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments } from "../arguments.ts";
import { readTree, type TreeNode, type TreePlan } from "./nodes.ts";
import { reportOf, treeJson, treeText } from "./output.ts";
import { patternToRegExp } from "../shell-pattern.ts";

type Options = ReadonlyMap<string, string>;

const FAILED = 2;

/** Lists directories as a tree: `-adfFhiJlpQrstU`, `-I`, `-L`, `-P`, `-o`, `--dirsfirst`, `--prune`, `--noreport`. */
export const tree: ShellCommand = {
  name: "tree",
  async run(args, context) {
    const words = args.flatMap((arg, at) => {
      if (args[at - 1] === "--charset") return [];
      return arg === "--charset" ? [`--charset=${args[at + 1] ?? ""}`] : [arg];
    });
    const { options, given, operands } = parseArguments(words, {
      flags: "aAcCdDfFgGhiJlnNpqQrsStuUvx",
      valued: "IHLoPT",
      long: {
        charset: "charset",
        dirsfirst: "dirsfirst",
        filesfirst: "filesfirst",
        "ignore-case": "ignore-case",
        matchdirs: "matchdirs",
        noreport: "noreport",
        prune: "prune",
      },
    });
    const level = options.get("L");
    if (level !== undefined && !(Number(level) > 0))
      return { stderr: "tree: Invalid level, must be greater than 0.\n", exitCode: 1 };
    const plan = planOf(options, given);
    const roots: TreeNode[] = [];
    for (const root of operands.length > 0 ? operands : ["."])
      roots.push(await readTree(context, root, plan));
    return printed(context, roots, options);
  },
};

function planOf(options: Options, given: readonly (readonly [string, string])[]): TreePlan {
  const patterns = (option: string): RegExp[] =>
    given
      .filter(([name]) => name === option)
      .flatMap(([, list]) => list.split("|"))
      .map((one) => patternToRegExp(options.has("ignore-case") ? one.toLowerCase() : one));
  const nameOf = (name: string): string => (options.has("ignore-case") ? name.toLowerCase() : name);
  const [wanted, unwanted] = [patterns("P"), patterns("I")];
  return {
    deepest: Number(options.get("L") ?? Number.POSITIVE_INFINITY),
    showsHidden: options.has("a"),
    onlyDirectories: options.has("d"),
    isFollowing: options.has("l"),
    prunes: options.has("prune"),
    isWanted: (name, isDirectory) => {
      if (unwanted.some((pattern) => pattern.test(nameOf(name)))) return false;
      return (
        isDirectory || wanted.length === 0 || wanted.some((pattern) => pattern.test(nameOf(name)))
      );
    },
    compare: comparison(options),
  };
}

function comparison(options: Options): TreePlan["compare"] {
  const sign = options.has("r") ? -1 : 1;
  return (one, other) => {
    const isEither = one.isDirectory !== other.isDirectory;
    if (isEither && options.has("dirsfirst")) return one.isDirectory ? -1 : 1;
    if (isEither && options.has("filesfirst")) return one.isDirectory ? 1 : -1;
    if (options.has("U")) return 0;
    const byTime = options.has("t") || options.has("c") ? one.mtimeMs - other.mtimeMs : 0;
    return sign * (byTime || (one.name < other.name ? -1 : 1));
  };
}

async function printed(
  { fs, resolve }: ShellCommandContext,
  roots: readonly TreeNode[],
  options: Options,
): Promise<ShellCommandResult> {
  const text = options.has("J")
    ? treeJson(roots, options)
    : roots.map((root) => treeText(root, options)).join("") +
      (options.has("noreport") ? "" : `\n${reportOf(roots, options)}\n`);
  const exitCode = roots.some(({ isUnreadable, stat }) => isUnreadable && !stat) ? FAILED : 0;
  const file = options.get("o");
  if (file === undefined) return { stdout: text, exitCode };
  await fs.writeFile(resolve(file), text);
  return { exitCode };
}
