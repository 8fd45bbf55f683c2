import { lookingGit } from "./looking-git.ts";

/** What a command that only looks is looking at. */
export interface Look {
  files: string[];
  /** Shows what is in all files below a directory, so rules about single files can't be kept. */
  isDeep?: boolean;
}

interface Looker {
  /** What an option may look like; any other makes the command unknown. */
  options?: RegExp;
  /** Options that take the next word as their value, which names no file. */
  valued?: RegExp;
  /** What the words that are no options are: files, nothing that matters, or a pattern and then files. */
  operands: "files" | "text" | "pattern" | "none";
  /** How many operands at most. */
  limit?: number;
  /** Shows no more of a file than its name and size, so that patterns for names do no harm. */
  isShallow?: boolean;
}

const LOOKERS: Readonly<Record<string, Looker>> = {
  ls: {
    options:
      /^-[1AaBCcdFfGghHikLlmnopqRrSsTtUuvxXZ]+$|^--(?:all|almost-all|human-readable|color(?:=\w+)?|sort=\w+|time=\w+|reverse|recursive|directory|full-time|inode|size|group-directories-first|classify|no-group|si)$/,
    operands: "files",
    isShallow: true,
  },
  tree: {
    options: /^-(?:[adfhipsugDC]+|L\d+)$|^--(?:dirsfirst|noreport|gitignore|prune)$/,
    valued: /^-[LIP]$/,
    operands: "files",
    isShallow: true,
  },
  cat: { options: /^-[AbeEnstTuv]+$|^--(?:number|show-all)$/, operands: "files" },
  head: {
    options: /^-(?:\d+|[nc]-?\d+|[qv]+)$|^--(?:lines|bytes)=-?\d+$/,
    valued: /^-[nc]$/,
    operands: "files",
  },
  tail: {
    options: /^-(?:\d+|[nc][+-]?\d+|[qv]+)$|^--(?:lines|bytes)=[+-]?\d+$/,
    valued: /^-[nc]$/,
    operands: "files",
  },
  wc: {
    options: /^-[clmwL]+$|^--(?:lines|words|bytes|chars)$/,
    operands: "files",
    isShallow: true,
  },
  stat: {
    options: /^-[Lfct]+$|^--(?:format|printf)=.*$/,
    valued: /^-[cf]$/,
    operands: "files",
    isShallow: true,
  },
  file: { options: /^-[bikh]+$|^--(?:brief|mime|mime-type)$/, operands: "files", isShallow: true },
  du: {
    options: /^-(?:[achksmx]+|d\d+)$|^--(?:max-depth=\d+|human-readable|summarize)$/,
    valued: /^-d$/,
    operands: "files",
    isShallow: true,
  },
  df: { options: /^-[hkTa]+$/, operands: "files", isShallow: true },
  realpath: { options: /^-[emsq]+$/, operands: "files", isShallow: true },
  readlink: { options: /^-[fenm]+$/, operands: "files", isShallow: true },
  cut: {
    options: /^-[dfcb].*$|^--(?:delimiter|fields|characters|complement).*$|^-s$/,
    valued: /^-[dfcb]$/,
    operands: "files",
  },
  sort: {
    options:
      /^-[bdfghinRruVzcCsM]+$|^-[kt]\S+$|^--(?:reverse|unique|numeric-sort|version-sort|human-numeric-sort)$/,
    valued: /^-[kt]$/,
    operands: "files",
  },
  uniq: {
    options: /^-[cdui]+$|^-[fsw]\d+$|^--(?:count|repeated|unique|ignore-case)$/,
    operands: "files",
    limit: 1,
  },
  comm: { options: /^-[123]+$/, operands: "files" },
  diff: {
    options:
      /^-[uNrbBwqisayE]+$|^-U\d+$|^--(?:color(?:=\w+)?|brief|unified(?:=\d+)?|ignore-all-space|side-by-side|recursive)$/,
    operands: "files",
  },
  cmp: { options: /^-[sbl]+$/, operands: "files" },
  nl: { options: /^-[bn]\w+$/, operands: "files" },
  paste: { options: /^-s$|^-d.*$/, valued: /^-d$/, operands: "files" },
  fold: { options: /^-s$|^-w\d+$/, valued: /^-w$/, operands: "files" },
  column: { options: /^-[tx]+$/, valued: /^-[sc]$/, operands: "files" },
  rev: { operands: "files" },
  tac: { operands: "files" },
  strings: { options: /^-(?:a|n\d+|\d+)$/, valued: /^-n$/, operands: "files" },
  od: { options: /^-(?:[acdox]|[AtjN]\S+)$/, valued: /^-[AtjN]$/, operands: "files" },
  hexdump: { options: /^-[Cbcdox]$/, valued: /^-[ns]$/, operands: "files" },
  xxd: { options: /^-(?:p|u|l\d+|s\d+)$/, valued: /^-[lsc]$/, operands: "files", limit: 1 },
  md5sum: { operands: "files" },
  sha1sum: { operands: "files" },
  sha256sum: { operands: "files" },
  cksum: { operands: "files" },
  basename: { options: /^-a$/, valued: /^-s$/, operands: "text" },
  dirname: { operands: "text" },
  tr: { options: /^-[cdsC]+$/, operands: "text" },
  echo: { options: /^-/, operands: "text" },
  printf: { operands: "text" },
  pwd: { options: /^-[LP]$/, operands: "none" },
  true: { operands: "text" },
  false: { operands: "text" },
  ":": { operands: "text" },
  whoami: { operands: "none" },
  id: { options: /^-[ugnG]+$/, operands: "none" },
  uname: { options: /^-[asnrmpio]+$/, operands: "none" },
  arch: { operands: "none" },
  nproc: { operands: "none" },
  uptime: { operands: "none" },
  hostname: { operands: "none" },
  free: { options: /^-[bkmghst]+$/, operands: "none" },
  sleep: { operands: "text" },
  seq: { operands: "text" },
  which: { options: /^-a$/, operands: "text" },
  type: { options: /^-[atp]$/, operands: "text" },
  test: {
    options: /^-[abcdefghkLnprsStuwxzGON]$|^-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)$/,
    operands: "files",
    isShallow: true,
  },
  cd: { operands: "files", limit: 1 },
};
const GREP: Looker = {
  options:
    /^-(?:[EFGPivwxcLlqsHhnobrazZIyT]+|[EFGPivwxcLlqsHhnobrazZI]*[ABCm]\d+|\d+)$|^--(?:include|exclude|exclude-dir|color|colour)=.*$|^--(?:recursive|line-number|ignore-case|word-regexp|files-with-matches|count|extended-regexp|fixed-strings|perl-regexp|only-matching|invert-match|no-filename|with-filename|context=\d+|after-context=\d+|before-context=\d+|max-count=\d+)$/,
  valued: /^-[EFGPivwxcLlqsHhnobrazZI]*[ABCme]$|^--(?:include|exclude|exclude-dir)$/,
  operands: "pattern",
};
const RG: Looker = {
  options:
    /^-(?:[inwFlcvSsUxoNHIPp]+|[inwFlcvSsUxoNHIP]*[ABCmgtT]\S+)$|^--(?:files|glob=.*|iglob=.*|type=\w+|type-not=\w+|line-number|ignore-case|smart-case|word-regexp|fixed-strings|files-with-matches|files-without-match|count|only-matching|multiline|no-heading|heading|color=\w+|context=\d+|after-context=\d+|before-context=\d+|max-count=\d+|max-depth=\d+|sort=\w+|json|stats|no-line-number|column|vimgrep)$/,
  valued:
    /^-[inwFlcvSsUxoNHIP]*[ABCmegtT]$|^--(?:glob|iglob|type|type-not|context|max-count|max-depth|sort)$/,
  operands: "pattern",
};

/**
 * What a command is looking at, when looking is all it can do with these words; `undefined` otherwise. Every option has
 * to be known: one that is not may write, run or reach out.
 */
export function looksOnly(words: readonly string[], hasGlob: boolean): Look | undefined {
  const [name = "", ...args] = words;
  if (name === "git") return hasGlob ? undefined : lookingGit(args);
  if (name === "find") return lookingFind(args);
  if (name === "sed" && !hasGlob) return lookingSed(args);
  if (name === "awk" && !hasGlob) return lookingAwk(args);
  if (name === "jq" && !hasGlob) return lookingJq(args);
  if (name === "command" && /^-[vV]$/.test(args[0] ?? "")) return { files: [] };
  if (
    args.length === 1 &&
    args[0] === "--version" &&
    /^(?:node|python3?|go|rustc|cargo|gcc|ruby|java|deno|bun)$/.test(name)
  )
    return { files: [] };
  if (name === "date")
    return args.every((arg) => /^(?:-u|\+.*)$/s.test(arg)) ? { files: [] } : undefined;
  if (/^[ef]?grep$/.test(name) || name === "rg") return lookingGrep(name, args, hasGlob);
  const looker = Object.hasOwn(LOOKERS, name) ? LOOKERS[name] : undefined;
  if (!looker) return undefined;
  const operands = operandsOf(args, looker);
  if (!operands || (looker.limit !== undefined && operands.length > looker.limit)) return undefined;
  if (looker.operands === "none") return operands.length === 0 ? { files: [] } : undefined;
  if (looker.operands === "text") return { files: [] };
  return hasGlob && !looker.isShallow ? undefined : { files: operands };
}

/** The words that are no options, or `undefined` when an option is not known. */
function operandsOf(args: readonly string[], looker: Looker): string[] | undefined {
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (looker.operands === "text" && !looker.valued && !/^-v|^--/.test(arg)) continue;
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else if (looker.valued?.test(arg)) index += 1;
    else if (!looker.options?.test(arg)) return undefined;
  }
  return operands;
}

function lookingGrep(name: string, args: readonly string[], hasGlob: boolean): Look | undefined {
  const operands = operandsOf(args, name === "rg" ? RG : GREP);
  if (!operands) return undefined;
  const hasPattern = args.some((arg) => /^-\w*e$/.test(arg)) || args.includes("--files");
  const files = hasPattern ? operands : operands.slice(1);
  if (name === "rg")
    return hasGlob ? undefined : { files: files.length > 0 ? files : ["."], isDeep: true };
  const isDeep = args.some((arg) => /^-[A-Za-z]*r|^--recursive$/.test(arg));
  if (!isDeep) return hasGlob && files.length > 0 ? undefined : { files };
  // Unlike `rg` it opens hidden files too, such as those with keys at the top of a project.
  const isNarrow = args.some((arg) => arg.startsWith("--include"));
  const isTop =
    files.length === 0 || files.some((file) => /^(?:\.|\.\/|\/|~)$|^\.\.|\$/.test(file));
  return isTop && !isNarrow ? undefined : { files: files.length > 0 ? files : ["."], isDeep: true };
}

const FIND_TEST =
  /^-(?:print|print0|not|o|or|a|and|prune|empty|depth|xdev|mount|quit|true|false|readable|writable|executable|daystart|ls|noleaf|H|P)$|^[()!,]$/;
const FIND_VALUED =
  /^-(?:i?name|i?path|i?wholename|i?regex|regextype|type|maxdepth|mindepth|[acm]time|[acm]min|size|perm|user|group|printf|links|inum)$/;

function lookingFind(args: readonly string[]): Look | undefined {
  const files: string[] = [];
  let index = 0;
  while (args[index] === "-H" || args[index] === "-P") index += 1;
  for (; index < args.length && !/^[-(!]/.test(args[index] ?? ""); index++)
    files.push(args[index] ?? "");
  for (; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (FIND_VALUED.test(arg)) index += 1;
    else if (!FIND_TEST.test(arg)) return undefined;
  }
  return { files: files.length > 0 ? files : ["."] };
}

const SED_PRINT = /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq=];?\s*)+$/;
const SED_SUBSTITUTE =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?s([/|#,@:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*$/;
const SED_MATCH =
  /^(?:\/(?:[^/\\\n]|\\[^\n])*\/)(?:,(?:\/(?:[^/\\\n]|\\[^\n])*\/|\d+|\$|\+\d+))?[pd]$/;

function lookingSed(args: readonly string[]): Look | undefined {
  const scripts: string[] = [];
  const files: string[] = [];
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (/^-[nEr]+$/.test(arg)) continue;
    if (arg === "-e" || arg === "-ne") scripts.push(args[++index] ?? "");
    else if (arg.startsWith("-")) return undefined;
    else if (scripts.length === 0) scripts.push(arg);
    else files.push(arg);
  }
  const isKnown = scripts.every(
    (script) => SED_PRINT.test(script) || SED_SUBSTITUTE.test(script) || SED_MATCH.test(script),
  );
  return isKnown && scripts.length > 0 ? { files } : undefined;
}

function lookingAwk(args: readonly string[]): Look | undefined {
  let index = 0;
  while (args[index]?.startsWith("-F")) index += args[index] === "-F" ? 2 : 1;
  const program = args[index] ?? "";
  const files = args.slice(index + 1);
  const isPlain =
    program !== "" &&
    !/[>|@`\\]|system|getline|ENVIRON|PROCINFO|ARGV|close|fflush/.test(program) &&
    !program.startsWith("-");
  return isPlain && files.every((file) => !/^-|=/.test(file)) ? { files } : undefined;
}

function lookingJq(args: readonly string[]): Look | undefined {
  const operands = operandsOf(args, {
    options: /^-[rcsSenMjC]+$|^--(?:raw-output|compact-output|slurp|sort-keys|tab)$/,
    operands: "pattern",
  });
  if (!operands || /env|import|include|input|\$__/i.test(operands[0] ?? "")) return undefined;
  return { files: operands.slice(1) };
}
