import { commandName } from "./shell-launchers.ts";

/** Syntax of a command that runs another one, for locating that other one. */
interface Wrapper {
  /** Short options that take no value. After any other option, the next word is read both as a value and as the command. */
  flags?: string;
  /** Short options that take the next word as their value, when nothing is written onto them. */
  valued?: string;
  /** Words between the options and the command. */
  operands?: number;
  /** The rest is a command line of its own, not the words of one command. */
  isText?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { flags: "i0v" },
  command: { flags: "pvV" },
  builtin: {},
  exec: { flags: "cl" },
  noglob: {},
  nocorrect: {},
  coproc: {},
  time: { flags: "pvaq" },
  timeout: { flags: "fpv", operands: 1 },
  nice: {},
  ionice: { flags: "t" },
  nohup: {},
  setsid: { flags: "cfw" },
  stdbuf: {},
  strace: { flags: "fqvtTy" },
  chroot: { operands: 1 },
  unshare: { flags: "imnpuUrf" },
  flock: { flags: "senxuFov", operands: 1 },
  sudo: { flags: "AbBEHnPSisk" },
  doas: { flags: "Lns" },
  su: { operands: 1 },
  busybox: {},
  toybox: {},
  xargs: { flags: "0prtx", valued: "adEILnPs" },
  parallel: { flags: "0kqX", isText: true },
  watch: { flags: "bcdegtpwx", isText: true },
  ssh: { flags: "46AaCfGgKkMNnqsTtVvXxYy", operands: 1, isText: true },
  eval: { isText: true },
  entr: {},
  setarch: { operands: 1 },
  taskset: { operands: 1 },
  prlimit: {},
  "systemd-run": {},
  firejail: {},
  faketime: { operands: 1 },
  direnv: { operands: 2 },
  rlwrap: {},
  torsocks: {},
  proxychains: {},
  proxychains4: {},
  ltrace: {},
  caffeinate: { flags: "dimsu" },
  chrt: { operands: 1 },
  runuser: { operands: 1 },
  setpriv: {},
  "ssh-agent": { flags: "cskdD" },
  "start-stop-daemon": {},
  fakeroot: {},
  fakechroot: {},
  eatmydata: {},
  cpulimit: {},
  chpst: {},
  softlimit: {},
  setuidgid: { operands: 1 },
  envdir: { operands: 1 },
  "cross-env": {},
  "cross-env-shell": { isText: true },
  dotenv: {},
  "dbus-run-session": {},
  "dbus-launch": {},
  "xvfb-run": {},
  unbuffer: {},
  nsenter: {},
  runcon: { operands: 1 },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  pkexec: {},
  tini: {},
  "dumb-init": {},
  valgrind: {},
  numactl: {},
  npx: {},
  bunx: {},
  pnpx: {},
};

const SHELLS: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ash fish csh tcsh rbash su runuser script flock".split(" "),
);
const INTERPRETER =
  /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua|osascript|[gmn]?awk)[\d.]*$/;
/** Options whose value is a command, including abbreviations, of commands that are not wrappers. */
const RUNNING_VALUES: Readonly<Record<string, RegExp>> = {
  sort: /^--com\w*-?\w*(?:=|$)/,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  tar: /^(?:-\w*[IF]|--(?:ch\w*-action|to-c[\w-]*|us[\w-]*|info[\w-]*|new-v[\w-]*|rsh[\w-]*|rmt[\w-]*)(?:=|$))/,
  rsync: /^(?:-\w*e|--rsh(?:=|$)|--rsync-path(?:=|$))/,
  ssh: /^-o/,
  scp: /^-[oS]/,
  sftp: /^-[oS]/,
  man: /^(?:-[PH]|--(?:pager|html|browser|preprocessor|troff)[\w-]*(?:=|$))/,
  git: /^(?:-[cx]|-[^-efABCm]*O|--(?:upl|receive-p|exec|open-f|extc|config-e|tree-f|index-f|env-f|msg-f|commit-f)[\w-]*(?:=|$))/,
  zip: /^(?:-TT|--unzip-command)/,
  wget: /^--use-askpass/,
  docker: /^--(?:entrypoint|url)/,
  split: /^--fil\w*(?:=|$)/,
  install: /^--strip-p[\w-]*(?:=|$)/,
  "start-stop-daemon": /^(?:-[xa]|--(?:exec|startas)(?:=|$))/,
};
/** Variables whose values programs run. */
const RUNNING_VARIABLE =
  /^(?:\w*PAGER|\w*EDITOR|VISUAL|GIT_\w+|\w*_COMMAND|\w*_CMD|BASH_ENV|ENV|PS[0-4]|LESSOPEN|LESSCLOSE|BROWSER|SHELL|NODE_OPTIONS|MAKEFLAGS|\w*_ASKPASS)\+?=(.*)$/s;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Reports whether `xargs` or `parallel` reads its command from its input, as behind a wrapper without one. */
export function readsItsCommand([name = "", ...args]: readonly string[]): boolean {
  const wrapper = name === "xargs" || name === "parallel" ? WRAPPERS[name] : undefined;
  if (!wrapper) return false;
  const starts = commandStarts(args, wrapper);
  const names = starts.map((start) => commandName(args[start] ?? ""));
  if (name === "parallel" && names.every((start) => start.startsWith(":::"))) return true;
  const at = args.findIndex((arg) => /^-[0rt]*I/.test(arg));
  const mark = at < 0 ? "{}" : (args[at] ?? "").replace(/^-[0rt]*I/, "") || (args[at + 1] ?? "");
  return names.some(
    (start, index) =>
      Object.hasOwn(WRAPPERS, start) ||
      start.includes(mark) ||
      (SHELLS.has(start) && args.slice(starts[index]).some((arg) => arg.includes(mark))),
  );
}

/** Something a command starts: the words of one command, or a text that a shell reads. */
export type Launch = { words: readonly string[] } | { text: string; isGuess?: boolean };

/** The commands that a command starts, as far as its words tell. In doubt, more than it really does. */
export function* launchesOf(words: readonly string[]): Generator<Launch> {
  const [path = "", ...args] = words;
  if (ASSIGNMENT.test(path) || /^[$`]/.test(path)) yield { words: args };
  for (const word of words) {
    if (!word.includes("=")) continue;
    const [, value] = RUNNING_VARIABLE.exec(word) ?? [];
    if (value !== undefined) yield { text: value.replace(/^!/, "") };
  }
  const name = commandName(path);
  if (name !== path) {
    yield { words: [name, ...args] };
    return;
  }
  // Windows, and Linux on it, starts `rm.exe` as `rm`, too.
  const bare = name.replace(/(?<=\w)\.(?:exe|com|cmd|bat)$/i, "");
  if (bare !== name) {
    yield { words: [bare, ...args] };
    return;
  }
  // The architecture may be left out.
  if (name === "setarch")
    for (const start of commandStarts(args, {})) yield { words: args.slice(start) };
  // The loader of programs, called by its name.
  if (/^ld(?:-[\w.-]+)?\.so(?:\.\d+)*$/.test(name))
    for (const start of commandStarts(args, {})) yield { words: args.slice(start) };
  const isQuestion = name === "command" && /^-[vV]$/.test(args[0] ?? "");
  const wrapper = Object.hasOwn(WRAPPERS, name) && !isQuestion ? WRAPPERS[name] : undefined;
  if (wrapper) {
    for (const start of commandStarts(args, wrapper)) {
      const rest = args.slice(start);
      if (wrapper.isText) yield { text: rest.join(" ") };
      else yield* withoutOptions(rest);
    }
  }
  if (SHELLS.has(name)) yield* textsAfter(args, /^(?:-\w*c|--(?:session-)?command)/);
  if (name === "env") yield* textsAfter(args, /^(?:-\w*S|--split-string)/);
  if (name === "trap") yield* args.map((text) => ({ text }));
  if (name === "alias") yield* args.map((arg) => ({ text: arg.replace(/^[^=]*=/, "") }));
  if (INTERPRETER.test(name)) yield* args.flatMap(quotedTexts);
  if (/^g?sed$/.test(name)) for (const arg of args) yield* sedCommands(arg);
  if (/^(?:vim?|nvim|ex|ed|emacs|less|more|gdb|expect|script|sqlite3)$/.test(name))
    yield* args.flatMap(escapes);
  if (Object.hasOwn(RUNNING_VALUES, name)) yield* valuesOf(args, RUNNING_VALUES[name] ?? /$^/);
  if (name === "git") yield* launchedByGit(args);
  if (/^(?:docker|podman|kubectl|direnv|npm|pnpm|yarn|bun|uv|poetry|pipenv|bundle)$/.test(name)) {
    const isScript = /npm|yarn|bun$/.test(name);
    const at = args.findIndex((arg) =>
      (isScript ? /^(?:exec|x|dlx)$/ : /^(?:exec|run)$/).test(arg),
    );
    if (at >= 0)
      for (const start of commandStarts(args.slice(at + 1), {})) {
        yield { words: args.slice(at + 1 + start) };
        yield* withoutOptions(args.slice(at + 2 + start));
      }
  }
  // Options before a subcommand do not hide it.
  if (args[0]?.startsWith("-") && !wrapper && !isQuestion) {
    for (const start of commandStarts(args, {})) yield { words: [name, ...args.slice(start)] };
  }
  if (/^(?:find|fd|fdfind)$/.test(name)) yield* executedBy(args);
}

/** Words that may begin with more options, as in `kubectl exec pod -- ls` and `setarch x86_64 -R ls`. */
function* withoutOptions(words: readonly string[]): Generator<Launch> {
  yield { words };
  if (!words[0]?.startsWith("-")) return;
  for (const start of commandStarts(words, {})) yield { words: words.slice(start) };
}

/** The quoted texts of a program: the likely places of a command. */
function quotedTexts(code: string): Launch[] {
  return [...code.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`/g)].map((found) => ({
    text: found[1] ?? found[2] ?? found[3] ?? "",
    isGuess: true,
  }));
}

/** Commands that `e` of an editing script may run: any of them counts, and each runs the rest of its line. */
function* sedCommands(script: string): Generator<Launch> {
  for (const { 0: found, index } of script.matchAll(/(?:^|[;{}\d$/\n!\s]|\/[IM])e(?=.)/g)) {
    const [text = ""] = script.slice(index + found.length).split("\n", 1);
    yield { text, isGuess: true };
  }
}

/** Commands that editors and pagers run after a `!`. */
function escapes(arg: string): Launch[] {
  const [, text] = /!\s*(.+)$/s.exec(arg) ?? [];
  return [{ text: text ?? arg, isGuess: true }];
}

/** The values of options that run: written onto them, after `=`, or as the next word. */
function* valuesOf(args: readonly string[], option: RegExp): Generator<Launch> {
  for (const [index, arg] of args.entries()) {
    const [found] = option.exec(arg) ?? [];
    if (found === undefined) continue;
    const attached = arg.startsWith("--") ? arg.replace(/^[^=]*=?/, "") : arg.slice(2);
    // Behind the letters of other options.
    const inBundle = /^-\w{2}/.test(found) ? arg.slice(found.length) : "";
    const values = [attached, ...(inBundle === "" ? [] : [inBundle]), args[index + 1] ?? ""];
    for (const value of values) {
      const [, inner] = /^[\w.-]+=\s*!?(.*)$/s.exec(value) ?? [];
      yield { text: inner ?? value.replace(/^!/, "") };
    }
  }
}

function* launchedByGit(args: readonly string[]): Generator<Launch> {
  const run = args.findIndex((arg) => arg === "run" || arg === "foreach");
  if (run >= 0) {
    yield { words: args.slice(run + 1) };
    yield {
      text: args
        .slice(run + 1)
        .filter((arg) => !arg.startsWith("-"))
        .join(" "),
    };
  }
  for (const arg of args) if (arg.startsWith("ext::")) yield { text: arg.slice(5) };
}

/** Possible starts of the wrapped command. */
function commandStarts(
  args: readonly string[],
  { flags = "", valued = "", operands = 0, isText = false }: Wrapper,
): number[] {
  const starts = new Set<number>();
  const seen = new Set<number>();
  const pending = [0];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const arg = args[index];
    if (arg === undefined || seen.has(index)) continue;
    seen.add(index);
    if (arg === "--") starts.add(index + 1 + operands);
    else if (ASSIGNMENT.test(arg)) {
      pending.push(index + 1);
      // After a leading assignment, a text continues with a command.
      if (isText && /\s/.test(arg)) starts.add(index + operands);
    } else if (arg.startsWith("-")) {
      const last = arg.at(-1) ?? "";
      if (/^-\w+$/.test(arg) && valued.includes(last) && onlyHas(arg.slice(1, -1), flags)) {
        pending.push(index + 2);
        continue;
      }
      pending.push(index + 1);
      if (/^-\w/.test(arg) && valued.includes(arg[1] ?? "")) continue;
      const isFlag = onlyHas(arg.slice(1), flags);
      if (!isFlag && !arg.includes("=")) pending.push(index + 2);
    } else starts.add(index + operands);
  }
  return [...starts].filter((start) => start < args.length);
}

function onlyHas(text: string, letters: string): boolean {
  return text.split("").every((letter) => letters.includes(letter));
}

/** Texts for the first matching option: attached to it, and in the words after it. */
function textsAfter(args: readonly string[], option: RegExp): Launch[] {
  const at = args.findIndex((arg) => option.test(arg));
  if (at < 0) return [];
  const attached = (args[at] ?? "").replace(option, "").replace(/^=/, "");
  const texts = [attached, ...args.slice(at + 1)];
  return texts.filter((text) => text !== "" && !text.startsWith("-")).map((text) => ({ text }));
}

/** The commands after `-exec` and its like, each up to `;` or `+`. */
function* executedBy(args: readonly string[]): Generator<Launch> {
  for (const [index, arg] of args.entries()) {
    if (!/^(?:-(?:exec|ok)(?:dir)?|-[xX]|--exec(?:-batch)?)$/.test(arg)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ";" || word === "+");
    yield { words: end < 0 ? rest : rest.slice(0, end) };
  }
}
