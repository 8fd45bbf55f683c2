/** Commands that run what their arguments say: a rule for them proves nothing of what happens. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh dash ksh ash fish csh tcsh rbash busybox toybox eval exec source . env sudo doas su runuser xargs " +
    "parallel nohup timeout time nice ionice stdbuf flock noglob watch setsid chroot unshare strace script ssh find " +
    "awk gawk mawk nawk sed gsed vim vi nvim ex ed emacs less more man trap export declare typeset alias hash enable " +
    "command builtin"
  ).split(" "),
);

const INTERPRETER = /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua)[\d.]*$/;
const INLINE_CODE =
  /^(?:-\w*[ceEprM]|-$|--(?:eval|print|require|import|loader|experimental-loader|run)\b)/;

/** Options of otherwise harmless commands that run a program or write a file. Long options also match abbreviated. */
const RUNNING_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-\w*o|--o|--com)/,
  rg: /^(?:-\w*z|--pre|--hostname-bin|--search-zip)/,
  fd: /^(?:-\w*[xX]|--exec)/,
  fdfind: /^(?:-\w*[xX]|--exec)/,
  tar: /^(?:-\w*[IF]|--(?:ch|to-c|us|info|new-v|rsh|rmt))/,
  git: /^(?:-O|--(?:ou|upl|receive-p|exec|open-f|extc|config-e)|ext::)/,
};
const RUNNING_SUBCOMMANDS_OF_GIT: ReadonlySet<string> = new Set(
  "bisect difftool filter-branch mergetool submodule".split(" "),
);

/** Whether a command does more than its words show, so that no rule with a wildcard may let it through. */
export function isBeyondProof(words: readonly string[]): boolean {
  const [path = "", ...args] = words;
  if (path.includes("=") || path.startsWith("~")) return true;
  const name = commandName(path);
  if (LAUNCHERS.has(name)) return true;
  if (INTERPRETER.test(name)) {
    // Without a script, an interpreter runs its input.
    return args.every((arg) => arg.startsWith("-")) || args.some((arg) => INLINE_CODE.test(arg));
  }
  if (Object.hasOwn(RUNNING_OPTIONS, name) && args.some((arg) => RUNNING_OPTIONS[name]?.test(arg)))
    return true;
  if (name === "tar") return /^[A-Za-z]*[IF][A-Za-z]*$/.test(args[0] ?? "");
  return name === "git" && isRunningGit(args);
}

/** `-c` sets a configuration value only before the subcommand; after it, it is an option such as that of `switch`. */
function isRunningGit(args: readonly string[]): boolean {
  let index = 0;
  while (args[index]?.startsWith("-")) {
    if (args[index]?.startsWith("-c")) return true;
    index += args[index] === "-C" ? 2 : 1;
  }
  const subcommand = args[index] ?? "";
  return (
    RUNNING_SUBCOMMANDS_OF_GIT.has(subcommand) ||
    (subcommand === "rebase" && args.some((arg) => /^-\w*x/.test(arg))) ||
    (subcommand === "clone" && args.some((arg) => /^-\w*[uc]/.test(arg)))
  );
}

/** The plain name of a command that may be called by a path. */
export function commandName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
