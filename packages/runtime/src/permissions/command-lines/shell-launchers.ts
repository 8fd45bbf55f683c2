/** Commands that run their arguments, or change the behaviour of later commands: a rule for them proves nothing. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh dash ksh ash fish csh tcsh rbash busybox toybox eval exec source . env sudo doas su runuser xargs " +
    "parallel nohup timeout time nice ionice stdbuf flock noglob watch setsid chroot unshare strace script ssh " +
    "awk gawk mawk nawk sed gsed vim vi nvim ex ed emacs less more man trap export declare typeset alias hash enable " +
    "command builtin pkexec systemd-run entr at batch crontab expect gdb lldb ltrace perf rlwrap tmux screen socat nc " +
    "ncat netcat taskset prlimit firejail setarch chrt runcon nsenter dbus-run-session xdg-open open osascript " +
    "powershell pwsh cmd wsl readonly local let read mapfile readarray getopts history fc bind complete compgen shopt " +
    "set unset unalias pushd popd dirs help info apropos whatis setpriv ssh-agent start-stop-daemon fakeroot fakechroot " +
    "eatmydata cpulimit chpst softlimit setuidgid envdir cross-env cross-env-shell dotenv dbus-launch xvfb-run unbuffer gosu " +
    "su-exec tini dumb-init valgrind numactl daemonize run-parts mosh faketime torsocks proxychains " +
    "proxychains4 caffeinate direnv"
  ).split(" "),
);

/** The loader of programs: `/lib64/ld-linux-x86-64.so.2 PROGRAM`. */
const LOADER = /^ld(?:-[\w.-]+)?\.so(?:\.\d+)*$/;
const INTERPRETER = /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua)[\d.]*$/;
const INLINE_CODE =
  /^(?:-\w*[ceEprM]|-$|--(?:eval|print|require|import|loader|experimental-loader|run)\b)/;

/** Options of otherwise harmless commands that run a program or write a file. Long options also match abbreviated. */
const RUNNING_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-\w*o|--o|--com)/,
  rg: /^(?:-\w*z|--pre|--hostname-bin|--search-zip)/,
  fd: /^(?:-\w*[xX]|--exec)/,
  fdfind: /^(?:-\w*[xX]|--exec)/,
  find: /^-(?:exec|ok|delete|fprint|fls)/,
  tar: /^(?:-\w*[IF]|--(?:ch|to-c|us|info|new-v|rsh|rmt))/,
  git: /^(?:-O|--(?:ou|u(?:p|pl[\w-]*)?(?:=|$)|rece|e(?:xe?)?(?:=|$)|exec|open-f|extc|ext-d|config-e|config=|textconv)|ext::)/,
  rsync: /^(?:-\w*e|--rsh|--rsync-path)/,
  scp: /^-\w*[So]/,
  sftp: /^-\w*[SoD]/,
  zip: /^(?:-\w*TT|--unzip-command)/,
  wget: /^(?:--use-askpass|-\w*e|--exec|--config)/,
  curl: /^(?:-\w*K|--config)/,
  printf: /^-v/,
  test: /^-v/,
  file: /^(?:-\w*[CmfS]|--(?:compile|magic|files-from|no-sandbox))/,
  npm: /^--(?:script-shell|node-options|userconfig|globalconfig|git|editor|viewer|shell)\b/,
  pnpm: /^--(?:script-shell|node-options|config\.|use-node)/,
  yarn: /^--(?:use-yarnrc|script-shell)/,
  make: /^(?:--ev|-\w*E|SHELL\s*[:+?]?=)/,
  gmake: /^(?:--ev|-\w*E|SHELL\s*[:+?]?=)/,
  cargo: /^--config/,
  go: /^--?(?:exec|toolexec|vettool|overlay)/,
  docker: /^--(?:url|config|entrypoint)/,
  date: /^(?:-\w*s|--set)/,
  ls: /^--(?:hyperlink)/,
  split: /^--fil/,
  install: /^--strip-p/,
  // Includes functions of its language that run a program or write a file.
  sqlite3: /^\s*\.|\n\s*\.|^--?(?:cmd|init)|\b(?:edit|load_extension|writefile)\s*\(/i,
};
const RUNNING_SUBCOMMANDS_OF_GIT: ReadonlySet<string> = new Set(
  (
    "bisect difftool filter-branch filter-repo mergetool submodule send-email instaweb web--browse help hook " +
    "credential daemon fsmonitor--daemon maintenance gui citool p4 svn shell receive-pack upload-pack upload-archive " +
    "merge-index remote-ext remote-fd for-each-repo difftool--helper submodule--helper"
  ).split(" "),
);
/** Options before a subcommand that take the next word as their value. */
const VALUED_BY_GIT = /^(?:-C|--(?:git-dir|work-tree|namespace|super-prefix|attr-source))$/;
const READING_CONFIG =
  /^(?:-l|--list|--get(?:-all|-regexp|-urlmatch|-color|-colorbool)?|get|list)$/;
/** Options of `git config` that no word follows as a value. */
const FLAG_OF_CONFIG =
  /^(?:-z|--(?:global|system|local|worktree|null|name-only|show-origin|show-scope|(?:no-)?includes|bool|int|path|(?:file|blob|type|default)=.*))$/s;

/** Reports whether a command may do more than its words show, so that no rule with a wildcard may allow it. */
export function isBeyondProof(words: readonly string[]): boolean {
  const [path = "", ...args] = words;
  if (path.includes("=") || path.startsWith("~")) return true;
  const name = commandName(path);
  if (LAUNCHERS.has(name) || LOADER.test(name)) return true;
  if (INTERPRETER.test(name)) {
    // Without a script, an interpreter runs its input; `--version` and its like run nothing.
    if (args.length === 1 && /^(?:--version|-V|--help)$/.test(args[0] ?? "")) return false;
    return args.every((arg) => arg.startsWith("-")) || args.some((arg) => INLINE_CODE.test(arg));
  }
  if (Object.hasOwn(RUNNING_OPTIONS, name) && args.some((arg) => RUNNING_OPTIONS[name]?.test(arg)))
    return true;
  // Without a statement, it runs its input, which may hold `.shell`.
  if (name === "sqlite3") return args.filter((arg) => !arg.startsWith("-")).length < 2;
  if (name === "tar") return /^[A-Za-z]*[IF][A-Za-z]*$/.test(args[0] ?? "");
  return name === "git" && isRunningGit(args);
}

/** `-c` sets a configuration value only before the subcommand; after it, it is an option such as that of `switch`. */
function isRunningGit(args: readonly string[]): boolean {
  let index = 0;
  while (args[index]?.startsWith("-")) {
    if (args[index]?.startsWith("-c")) return true;
    index += VALUED_BY_GIT.test(args[index] ?? "") ? 2 : 1;
  }
  const subcommand = args[index] ?? "";
  const rest = args.slice(index + 1);
  return (
    RUNNING_SUBCOMMANDS_OF_GIT.has(subcommand) ||
    (subcommand === "config" && !readsConfig(rest)) ||
    // Between the letters of other options; not in the value of one.
    (subcommand === "grep" && rest.some((arg) => /^-[^-efABCm]*O/.test(arg))) ||
    // Hooks of the template become those of the repository.
    (/^(?:clone|init|init-db)$/.test(subcommand) && rest.some((arg) => arg.startsWith("--te"))) ||
    (subcommand === "rebase" && args.some((arg) => /^-\w*x/.test(arg))) ||
    (subcommand === "clone" && args.some((arg) => /^(?:-\w*[uc]|--co)/.test(arg)))
  );
}

/**
 * Reports whether a `git config` with these words only reads. What it does is its first word besides flags: the same
 * word further on may be a value.
 */
export function readsConfig(args: readonly string[]): boolean {
  return READING_CONFIG.test(args.find((arg) => !FLAG_OF_CONFIG.test(arg)) ?? "");
}

/** Variables that affect a program's display only. */
const HARMLESS_VARIABLE =
  /^(?:NODE_ENV|CI|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|DEBUG|VERBOSE|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GOOS|GOARCH|CGO_ENABLED|NPM_CONFIG_LOGLEVEL|npm_config_loglevel)=[\w@%+:,./^-]*$/;
const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

/** The command behind assignments and wrappers that do not change what runs. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    const length = wrapperLength(rest);
    if (length === 0 || length >= rest.length) return rest;
    rest = rest.slice(length);
  }
}

function wrapperLength([name = "", ...args]: readonly string[]): number {
  if (HARMLESS_VARIABLE.test(name)) return 1;
  let index = 0;
  const skip = (option: RegExp): void => {
    while (option.test(args[index] ?? "")) index += 1;
  };
  switch (name) {
    case "time":
      skip(/^-p$/);
      break;
    case "nohup":
    case "builtin":
    case "command":
    case "noglob":
      break;
    case "timeout":
      for (;;) {
        const at = index;
        skip(
          /^(?:-v|--verbose|--foreground|--preserve-status|--(?:signal|kill-after)=\w+|-[sk]\w+)$/,
        );
        if (/^-[sk]$/.test(args[index] ?? "") && /^\w+$/.test(args[index + 1] ?? "")) index += 2;
        if (at === index) break;
      }
      if (!DURATION.test(args[index] ?? "")) return 0;
      index += 1;
      break;
    case "nice":
      if (args[0] === "-n" && /^-?\d+$/.test(args[1] ?? "")) index = 2;
      else skip(/^-(?:n?-?\d+)$/);
      break;
    case "stdbuf":
      skip(/^-[ioe](?:L|\d+)$/);
      break;
    default:
      return 0;
  }
  // An unknown option: the next word may be its value.
  return args[index]?.startsWith("-") ? 0 : index + 1;
}

/** The plain name of a command that may be called by a path. */
export function commandName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
