import { knownWords, type OptionShapes, valuesOf } from "./known-words.ts";
import type { ReadTargets } from "./read-only-commands.ts";

const DIFF =
  "--stat(?:=\\S+)?|--shortstat|--numstat|--name-only|--name-status|--summary|-p|-u|--patch|--no-patch|-s|--word-diff(?:=\\w+)?|--color(?:=\\w+)?|--no-color|-w|-b|--ignore-all-space|--ignore-space-change|--ignore-blank-lines|-U\\d+|--unified=\\d+|--diff-filter=\\w+|-M|-C|--find-renames|--check|--raw|-z|--minimal|--patience|--histogram|--exit-code|--quiet|-q|--";
const LOG =
  "-\\d+|-n\\d+|--oneline|--graph|--all|--decorate(?:=\\w+)?|--no-decorate|--follow|--first-parent|--merges|--no-merges|--reverse|--abbrev-commit|--abbrev(?:=\\d+)?|--pretty(?:=.*)?|--format=.*|--date=.*|--since=.*|--until=.*|--after=.*|--before=.*|--author=.*|--committer=.*|--grep=.*|-i|--max-count=\\d+|--skip=\\d+|--branches|--tags|--remotes|--left-right|--cherry-pick|--topo-order|--date-order|--relative-date|-[SG].+|-L\\d.*";
const options = (...parts: string[]): RegExp => new RegExp(`^(?:${parts.join("|")})$`, "s");

interface GitLooker extends OptionShapes {
  /** Options of which one must accompany operands: without it they would be created or changed. */
  needs?: RegExp;
  /** Shows the content of all tracked files. */
  isDeep?: boolean;
}

const READ_ONLY: Readonly<Record<string, GitLooker>> = {
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
  },
  log: {
    options: options(DIFF, LOG),
    valued: /^-[nSGL]$|^--(?:since|until|author|grep|max-count|format)$/,
  },
  shortlog: { options: options(LOG, "-[sne]+") },
  show: { options: options(DIFF, LOG) },
  diff: { options: options(DIFF, "--cached", "--staged", "--merge-base") },
  blame: {
    options: options("-[wMCsefln]+", "-L\\d.*", "--date=.*", "--"),
    valued: /^-L$/,
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
    needs: /^(?:-l|--list|--merged|--no-merged|--contains)$/,
  },
  tag: {
    options: options("-l", "-n\\d*", "--list", "--sort=\\S+", "--contains", "--merged"),
    needs: /^(?:-l|--list|--contains|--merged)$/,
  },
  remote: { options: options("-v", "--verbose"), needs: /$^/ },
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
  },
  "rev-list": { options: options(LOG, "--count", "--objects") },
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
  },
  "ls-tree": { options: options("-[rtdlz]+", "--name-only", "--full-tree") },
  "cat-file": { options: options("-[ptse]") },
  describe: {
    options: options("--tags", "--always", "--dirty", "--all", "--long", "--abbrev=\\d+"),
  },
  "merge-base": {
    options: options("--is-ancestor", "--fork-point", "-a", "--all"),
  },
  "name-rev": { options: options("--name-only") },
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
    isDeep: true,
  },
};
/** Subcommands that list a repository's objects, by their words without options. */
const LISTS =
  /^(?:stash list|stash show(?: stash@\S*)?|worktree list|reflog(?: show)?|notes list|submodule status)$/;

/**
 * The targets of a `git` call that is read-only by its words. Effects of the repository's own settings are not covered.
 */
export function readOnlyGit(all: readonly string[]): ReadTargets | undefined {
  const args = /^(?:--no-pager|-P)$/.test(all[0] ?? "") ? all.slice(1) : all;
  const [subcommand = "", ...rest] = args;
  if (args.join(" ") === "--version") return { files: [] };
  const list = knownWords(rest, { options: /^(?:-\d+|-p|--stat)$/ });
  if (list && LISTS.test([subcommand, ...list.operands].join(" "))) return { files: [] };
  const looker = Object.hasOwn(READ_ONLY, subcommand) ? READ_ONLY[subcommand] : undefined;
  const known = looker && knownWords(rest, looker);
  if (!known) return undefined;
  const { operands, options: given } = known;
  const { needs, isDeep } = looker;
  if (operands.length > 0 && needs && !given.some(([option]) => needs.test(option)))
    return undefined;
  // A revision and a path in it are one word, `HEAD:src/a.ts`, and so are lines and their file: `-L1,9:src/a.ts`.
  const named = [...operands, ...valuesOf(known, /^-L/)].flatMap((word) =>
    word.split(":").slice(1),
  );
  const files = [...operands, ...named].filter((file) => file !== "");
  return { files, isDeep };
}
