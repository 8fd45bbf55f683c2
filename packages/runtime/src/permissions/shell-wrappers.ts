import { commandName } from "./shell-launchers.ts";

/** How a command that runs another one is read, to find that other one. */
interface Wrapper {
  /** Short options that take no value. After any other option, the next word is read both as a value and as the command. */
  flags?: string;
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
  xargs: { flags: "0prtx" },
  parallel: { flags: "0kqX", isText: true },
  watch: { flags: "bcdegtpwx", isText: true },
  ssh: { flags: "46AaCfGgKkMNnqsTtVvXxYy", operands: 1, isText: true },
  eval: { isText: true },
};

const SHELLS: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ash fish csh tcsh rbash su runuser script flock".split(" "),
);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Something a command starts: the words of one command, or a text that a shell reads. */
export type Launch = { words: readonly string[] } | { text: string };

/** What a command starts as far as its words tell. In doubt, more than it really does. */
export function* launchesOf(words: readonly string[]): Generator<Launch> {
  const [path = "", ...args] = words;
  if (ASSIGNMENT.test(path) || /^[$`]/.test(path)) yield { words: args };
  const name = commandName(path);
  if (name !== path) {
    yield { words: [name, ...args] };
    return;
  }
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper) {
    for (const start of commandStarts(args, wrapper)) {
      const rest = args.slice(start);
      yield wrapper.isText ? { text: rest.join(" ") } : { words: rest };
    }
  }
  if (SHELLS.has(name)) yield* textsAfter(args, /^(?:-\w*c|--(?:session-)?command)/);
  if (name === "env") yield* textsAfter(args, /^(?:-\w*S|--split-string)/);
  if (name === "trap") yield* args.map((text) => ({ text }));
  if (/^(?:find|fd|fdfind)$/.test(name)) yield* executedBy(args);
}

/** Where the wrapped command may begin. */
function commandStarts(args: readonly string[], { flags = "", operands = 0 }: Wrapper): number[] {
  const starts = new Set<number>();
  const seen = new Set<number>();
  const pending = [0];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const arg = args[index];
    if (arg === undefined || seen.has(index)) continue;
    seen.add(index);
    if (arg === "--") starts.add(index + 1 + operands);
    else if (ASSIGNMENT.test(arg)) pending.push(index + 1);
    else if (arg.startsWith("-")) {
      pending.push(index + 1);
      const isFlag = arg.split("").every((letter, at) => at === 0 || flags.includes(letter));
      if (!isFlag && !arg.includes("=")) pending.push(index + 2);
    } else starts.add(index + operands);
  }
  return [...starts].filter((start) => start < args.length);
}

/** The texts given to the first option that matches: what is written onto it, and the words after it. */
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
