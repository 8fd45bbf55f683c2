import type { Look } from "./looking.ts";

const DIFF =
  "--stat(?:=\\S+)?|--shortstat|--numstat|--name-only|--name-status|--summary|-p|-u|--patch|--no-patch|-s|--word-diff(?:=\\w+)?|--color(?:=\\w+)?|--no-color|-w|-b|--ignore-all-space|--ignore-space-change|--ignore-blank-lines|-U\\d+|--unified=\\d+|--diff-filter=\\w+|-M|-C|--find-renames|--check|--raw|-z|--minimal|--patience|--histogram|--exit-code|--quiet|-q|--";
const LOG =
  "-\\d+|-n\\d+|--oneline|--graph|--all|--decorate(?:=\\w+)?|--no-decorate|--follow|--first-parent|--merges|--no-merges|--reverse|--abbrev-commit|--abbrev(?:=\\d+)?|--pretty(?:=.*)?|--format=.*|--date=.*|--since=.*|--until=.*|--after=.*|--before=.*|--author=.*|--committer=.*|--grep=.*|-i|--max-count=\\d+|--skip=\\d+|--branches|--tags|--remotes|--left-right|--cherry-pick|--topo-order|--date-order|--relative-date|-[SG].+|-L\\d.*";
const options = (...parts: string[]): RegExp => new RegExp(`^(?:${parts.join("|")})$`, "s");

interface GitLooker {
  options: RegExp;
  /** Options that take the next word. */
  valued?: RegExp;
  /** Whether words without a dash only name what is looked at. */
  takesOperands: boolean;
  /** When there are operands, one of these has to be there as well. */
  needs?: RegExp;
}

const LOOKERS: Readonly<Record<string, GitLooker>> = {
  status: {
    options: options(
      "-s",
      "-b",
      "-sb",
      "-bs",
      "--short",
      "--branch",
      "--porcelain(?:=v?\\d)?",
      "-u(?:no|normal|all)?",
      "--untracked-files(?:=\\w+)?",
      "--ignored",
      "--long",
      "-v",
      "-vv",
      "-z",
      "--",
    ),
    takesOperands: true,
  },
  log: {
    options: options(DIFF, LOG),
    valued: /^-[nSGL]$|^--(?:since|until|author|grep|max-count|format)$/,
    takesOperands: true,
  },
  shortlog: { options: options(LOG, "-[sne]+"), takesOperands: true },
  show: { options: options(DIFF, LOG), takesOperands: true },
  diff: { options: options(DIFF, "--cached", "--staged", "--merge-base"), takesOperands: true },
  blame: {
    options: options("-[wMCsefln]+", "-L\\d.*", "--date=.*", "--"),
    valued: /^-L$/,
    takesOperands: true,
  },
  branch: {
    options: options(
      "-a",
      "-r",
      "-v",
      "-vv",
      "-av",
      "-avv",
      "-l",
      "--all",
      "--list",
      "--show-current",
      "--merged",
      "--no-merged",
      "--contains",
      "--sort=\\S+",
      "--format=.*",
      "--no-color",
    ),
    takesOperands: true,
    needs: /^(?:-l|--list|--merged|--no-merged|--contains)$/,
  },
  tag: {
    options: options("-l", "-n\\d*", "--list", "--sort=\\S+", "--contains", "--merged"),
    takesOperands: true,
    needs: /^(?:-l|--list|--contains|--merged)$/,
  },
  remote: { options: options("-v", "--verbose"), takesOperands: false },
  "rev-parse": {
    options: options(
      "--abbrev-ref(?:=\\w+)?",
      "--show-toplevel",
      "--is-inside-work-tree",
      "--git-dir",
      "--git-common-dir",
      "--verify",
      "--short(?:=\\d+)?",
      "--symbolic-full-name",
      "-q",
      "--quiet",
      "--show-prefix",
    ),
    takesOperands: true,
  },
  "rev-list": { options: options(LOG, "--count", "--objects"), takesOperands: true },
  "ls-files": {
    options: options(
      "-[cdmostz]+",
      "--others",
      "--exclude-standard",
      "--modified",
      "--deleted",
      "--stage",
      "--cached",
      "--",
    ),
    takesOperands: true,
  },
  "ls-tree": { options: options("-[rtdlz]+", "--name-only", "--full-tree"), takesOperands: true },
  "cat-file": { options: options("-[ptse]"), takesOperands: true },
  describe: {
    options: options("--tags", "--always", "--dirty", "--all", "--long", "--abbrev=\\d+"),
    takesOperands: true,
  },
  "merge-base": {
    options: options("--is-ancestor", "--fork-point", "-a", "--all"),
    takesOperands: true,
  },
  "name-rev": { options: options("--name-only"), takesOperands: true },
  grep: {
    options: options(
      "-[niwlLcEFPhHoIv]+",
      "--cached",
      "--count",
      "--line-number",
      "-[ABC]\\d+",
      "--",
    ),
    valued: /^-[ABCe]$/,
    takesOperands: true,
  },
};
const LISTS =
  /^(?:stash list|worktree list|reflog|reflog show|stash show|notes list|submodule status)$/;

/** What a call of `git` looks at, when its words can do nothing else. What the repository's own settings add is not seen. */
export function lookingGit(all: readonly string[]): Look | undefined {
  const args = all.filter((arg, at) => !(at === 0 && (arg === "--no-pager" || arg === "-P")));
  const [subcommand = "", ...rest] = args;
  if (args.length === 1 && subcommand === "--version") return { files: [] };
  if (
    LISTS.test(args.slice(0, 2).join(" ").trim()) &&
    rest
      .slice(subcommand === "reflog" && rest[0] !== "show" ? 0 : 1)
      .every((arg) => /^-\d+$|^-p$|^--stat$|^stash@/.test(arg))
  )
    return { files: [] };
  const looker = Object.hasOwn(LOOKERS, subcommand) ? LOOKERS[subcommand] : undefined;
  if (!looker) return undefined;
  const operands: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const arg = rest[index] ?? "";
    if (!arg.startsWith("-")) operands.push(arg);
    else if (looker.valued?.test(arg)) index += 1;
    else if (!looker.options.test(arg)) return undefined;
  }
  if (operands.length > 0) {
    if (!looker.takesOperands) return undefined;
    if (looker.needs && !rest.some((arg) => looker.needs?.test(arg))) return undefined;
  }
  // A revision and a path in it are one word: `HEAD:src/a.ts`.
  return {
    files: operands
      .flatMap((operand) => [operand, ...operand.split(":").slice(1)])
      .filter((file) => file !== ""),
  };
}
