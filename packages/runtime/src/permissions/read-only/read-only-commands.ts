import { type KnownWords, knownWords, type OptionShapes, valuesOf } from "./known-words.ts";
import { readOnlyGit } from "./read-only-git.ts";

/** The targets that a read-only command reads. */
export interface ReadTargets {
  files: string[];
  /** Shows the content of all files below a directory, so rules for single files can't be enforced. */
  isDeep?: boolean | undefined;
  /** True when a directory includes hidden files, such as those with keys at the top of a project. */
  showsHidden?: boolean | undefined;
}

/** A command that is read-only as long as each of its options is known: another may write, run or make requests. */
interface Looker extends OptionShapes {
  /** Meaning of the operands: files, irrelevant text, or the result of a function. */
  operands: "files" | "text" | ((known: KnownWords) => ReadTargets | undefined);
  /** Maximum number of operands. */
  limit?: number;
  /** Shows no more of a file than its name and size, so that patterns for names do no harm. */
  isShallow?: boolean;
  showsHidden?: boolean;
}

const GREP: Looker = {
  options:
    /^-(?:[EFGPivwxcLlqsHhnobrazZIyT]+|[EFGPivwxcLlqsHhnobrazZI]*[ABCm]\d+|\d+)$|^--(?:include|exclude|exclude-dir|color|colour)=.*$|^--(?:recursive|line-number|ignore-case|word-regexp|files-with-matches|count|extended-regexp|fixed-strings|perl-regexp|only-matching|invert-match|no-filename|with-filename|context=\d+|after-context=\d+|before-context=\d+|max-count=\d+)$/,
  valued: /^-[EFGPivwxcLlqsHhnobrazZI]*[ABCme]$|^--(?:include|exclude|exclude-dir)$/,
  operands: lookingGrep,
};
const READ_ONLY: Readonly<Record<string, Looker>> = {
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
      /^-[ubBwqisayE]+$|^-U\d+$|^--(?:color(?:=\w+)?|brief|unified(?:=\d+)?|ignore-all-space|side-by-side)$/,
    operands: "files",
    showsHidden: true,
  },
  cmp: { options: /^-[sbl]+$/, operands: "files" },
  nl: { options: /^-[bn]\w+$/, operands: "files" },
  paste: { options: /^-s$|^-d.*$/, valued: /^-d$/, operands: "files" },
  fold: { options: /^-s$|^-w\d+$/, valued: /^-w$/, operands: "files" },
  column: { options: /^-[tx]+$/, valued: /^-[sc]$/, operands: "files" },
  rev: { operands: "files" },
  tac: { operands: "files" },
  strings: { options: /^-(?:a|n\d+|\d+)$/, valued: /^-n$/, operands: lookingStrings },
  od: { options: /^-(?:[acdox]|[AtjN]\S+)$/, valued: /^-[AtjN]$/, operands: "files" },
  hexdump: { options: /^-[Cbcdox]$/, valued: /^-[ns]$/, operands: "files" },
  xxd: { options: /^-(?:p|u|l\d+|s\d+)$/, valued: /^-[lsc]$/, operands: "files", limit: 1 },
  md5sum: { operands: "files" },
  sha1sum: { operands: "files" },
  sha256sum: { operands: "files" },
  cksum: { operands: "files" },
  basename: { options: /^-a$/, valued: /^-s$/, operands: "text" },
  dirname: { options: /^-z$/, operands: "text" },
  tr: { options: /^-/, operands: "text" },
  echo: { options: /^-/, operands: "text" },
  printf: { options: /^-[^v-]/, operands: "text" },
  pwd: { options: /^-[LP]$/, operands: "text", limit: 0 },
  true: { options: /^-/, operands: "text" },
  false: { options: /^-/, operands: "text" },
  ":": { options: /^-/, operands: "text" },
  whoami: { operands: "text", limit: 0 },
  id: { options: /^-[ugnG]+$/, operands: "text", limit: 0 },
  uname: { options: /^-[asnrmpio]+$/, operands: "text", limit: 0 },
  arch: { operands: "text", limit: 0 },
  nproc: { operands: "text", limit: 0 },
  uptime: { operands: "text", limit: 0 },
  hostname: { operands: "text", limit: 0 },
  free: { options: /^-[bkmghst]+$/, operands: "text", limit: 0 },
  sleep: { operands: "text" },
  seq: { options: /^-[^-]/, operands: "text" },
  which: { options: /^-a$/, operands: "text" },
  type: { options: /^-[atp]$/, operands: "text" },
  test: {
    options: /^-[abcdefghkLnprsStuwxzGON]$|^-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)$/,
    operands: "files",
    isShallow: true,
  },
  cd: { operands: "files", limit: 1 },
  find: {
    options:
      /^-(?:print|print0|not|o|or|a|and|prune|empty|depth|xdev|mount|quit|true|false|readable|writable|executable|daystart|ls|noleaf|H|P)$/,
    valued:
      /^-(?:i?name|i?path|i?wholename|i?regex|regextype|type|maxdepth|mindepth|[acm]time|[acm]min|size|perm|user|group|printf|links|inum)$/,
    operands: "files",
    isShallow: true,
  },
  sed: { options: /^-[nEr]+$/, valued: /^-n?e$/, operands: lookingSed },
  awk: { options: /^-F/, valued: /^-F$/, operands: lookingAwk },
  jq: {
    options: /^-[rcsSenMjC]+$|^--(?:raw-output|compact-output|slurp|sort-keys|tab)$/,
    operands: lookingJq,
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    options:
      /^-(?:[inwFlcvSsUxoNHIPp]+|[inwFlcvSsUxoNHIP]*[ABCmgtT]\S+)$|^--(?:files|glob=.*|iglob=.*|type=\w+|type-not=\w+|line-number|ignore-case|smart-case|word-regexp|fixed-strings|files-with-matches|files-without-match|count|only-matching|multiline|no-heading|heading|color=\w+|context=\d+|after-context=\d+|before-context=\d+|max-count=\d+|max-depth=\d+|sort=\w+|json|stats|no-line-number|column|vimgrep)$/,
    valued:
      /^-[inwFlcvSsUxoNHIP]*[ABCmegtT]$|^--(?:glob|iglob|type|type-not|context|max-count|max-depth|sort)$/,
    operands: lookingRg,
  },
};

/** The targets of a command that is read-only with these words; `undefined` otherwise. */
export function isReadOnly(words: readonly string[], hasGlob: boolean): ReadTargets | undefined {
  const [name = "", ...args] = words;
  if (name === "git") return hasGlob ? undefined : readOnlyGit(args);
  const isHarmless =
    (name === "command" && /^-[vV]$/.test(args[0] ?? "")) ||
    (name === "date" && args.every((arg) => /^(?:-u$|\+)/.test(arg))) ||
    // Not `cargo`, `rustc` and `go`: a file of the project names the toolchain, which is fetched and started.
    /^(?:node|python3?|gcc|ruby|java|deno|bun) --version$/.test(words.join(" "));
  if (isHarmless) return { files: [] };
  const looker = Object.hasOwn(READ_ONLY, name) ? READ_ONLY[name] : undefined;
  const known = looker && knownWords(args, looker);
  if (!known || known.operands.length > (looker.limit ?? Infinity)) return undefined;
  if (looker.operands === "text") return { files: [] };
  if (hasGlob && !looker.isShallow && mayBecomeFiles(known)) return undefined;
  if (looker.operands !== "files") return looker.operands(known);
  return { files: known.operands, showsHidden: looker.showsHidden };
}

/** Reports whether some word may expand to unknown file names. `--include=*.ts` stands for itself. */
function mayBecomeFiles({ operands, options }: KnownWords): boolean {
  return [...operands, ...options.map(([, value]) => value)].some((word) => /[*?[]/.test(word));
}

/** The operands behind the first, which is a pattern or a program unless an option gives one. */
function filesOf({ operands, options }: KnownWords): string[] {
  return options.some(([option]) => /^-\w*e$|^--files$/.test(option))
    ? operands
    : operands.slice(1);
}

/** Names that only sources and documents end with, and no file with keys. */
const ENDING =
  "(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kts?|scala|swift|cs|c|cc|cpp|h|hh|hpp|mm?|lua|dart|exs?|sql|sh|html?|s?css|less|mdx?|rst|txt|proto|graphql)";
const NARROW = new RegExp(`\\.(?:${ENDING}|\\{${ENDING}(?:,${ENDING})*\\})$`);
/** Types of `rg` that stand for such names. */
const SOURCE_TYPE =
  /^(?:ts|typescript|js|py|python|ruby|php|go|rust|kotlin|scala|swift|csharp|cs|c|cpp|h|objc|lua|dart|elixir|sql|sh|html|css|sass|less|md|markdown|rst|txt|protobuf|graphql)$/;

/** Files selected by a pattern or a type are searched even if hidden. */
function lookingRg(known: KnownWords): ReadTargets | undefined {
  const files = filesOf(known);
  const isNarrow =
    valuesOf(known, /^(?:-[inwFlcvSsUxoNHIP]*g|--i?glob(?:=|$))/).every(
      (glob) => glob.startsWith("!") || NARROW.test(glob),
    ) &&
    valuesOf(known, /^(?:-[inwFlcvSsUxoNHIP]*t|--type(?:=|$))/).every((type) =>
      SOURCE_TYPE.test(type),
    );
  return isNarrow ? { files: files.length > 0 ? files : ["."], isDeep: true } : undefined;
}

/** Unlike `rg`, it searches hidden files too, except those it is told to exclude. */
function lookingGrep(known: KnownWords): ReadTargets {
  const files = filesOf(known);
  if (!known.options.some(([option]) => /^-\w*r|^--recursive$/.test(option))) return { files };
  const places = files.length > 0 ? files : ["."];
  const included = valuesOf(known, /^--include(?:=|$)/);
  // An excluded name leaves all others included.
  const isNarrow =
    included.length > 0 &&
    included.every((glob) => NARROW.test(glob)) &&
    !known.options.some(([option]) => /^--exclude(?:=|$)/.test(option));
  return { files: places, isDeep: true, showsHidden: isNarrow ? undefined : true };
}

/** A word with `@` names a file of further options and files. */
function lookingStrings({ operands }: KnownWords): ReadTargets | undefined {
  return operands.some((word) => word.startsWith("@")) ? undefined : { files: operands };
}

const SED_PRINT = /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq=];?\s*)+$/;
const SED_SUBSTITUTE =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?s([/|#,@:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*$/;
const SED_MATCH =
  /^(?:\/(?:[^/\\\n]|\\[^\n])*\/)(?:,(?:\/(?:[^/\\\n]|\\[^\n])*\/|\d+|\$|\+\d+))?[pd]$/;

function lookingSed(known: KnownWords): ReadTargets | undefined {
  const [first = ""] = known.operands;
  const given = valuesOf(known, /^-n?e$/);
  const isKnown = (given.length > 0 ? given : [first]).every(
    (script) => SED_PRINT.test(script) || SED_SUBSTITUTE.test(script) || SED_MATCH.test(script),
  );
  return isKnown ? { files: filesOf(known) } : undefined;
}

function lookingAwk({ operands }: KnownWords): ReadTargets | undefined {
  const [program = "", ...files] = operands;
  const isPlain = !/[>|@`\\]|system|getline|ENVIRON|PROCINFO|ARGV|SYMTAB|close|fflush/.test(
    program,
  );
  // A file's name with a `=` is an assignment.
  return isPlain && !files.some((file) => file.includes("=")) ? { files } : undefined;
}

function lookingJq({ operands }: KnownWords): ReadTargets | undefined {
  const [filter = "", ...files] = operands;
  return /env|import|include|input|\$__/i.test(filter) ? undefined : { files };
}
