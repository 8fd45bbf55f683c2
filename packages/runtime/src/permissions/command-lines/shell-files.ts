import { commandName, readsConfig } from "./shell-launchers.ts";

/** The files that a command names, as written. */
export interface FileUses {
  reads: string[];
  writes: string[];
  /** Named by a command that is not known to only look: it may write them. */
  others: string[];
  /** Directories whose own settings the command obeys. */
  enters: string[];
}

const list = (names: string): ReadonlySet<string> => new Set(names.split(" "));
/** Every operand is changed, made or removed. */
const CHANGERS = list(
  "tee touch mkdir rmdir rm unlink truncate shred srm mktemp mkfifo mknod patch mv chmod chown chgrp chattr setfacl " +
    "gzip gunzip bzip2 bunzip2 xz unxz zstd dos2unix unix2dos ex ed vi vim nvim nano pico emacs trash trash-put split csplit",
);
/** The last operand is changed, the others are read. */
const COPIERS = list("cp install ln rsync scp link");
const SPEAKERS = list(
  "echo printf print true false : test [ [[ export declare local cd pushd seq sleep kill",
);
/** Commands that never write their operands. */
const READERS = list(
  "cat head tail less more grep egrep fgrep rg ag ack wc ls stat file find fd du df tree diff cmp comm cut tr sort " +
    "uniq nl od hexdump strings jq md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink column " +
    "paste join fold fmt tac rev git . source bat awk gawk mawk sed gsed which type man help",
);
/** The option for a target directory, also behind the letters of others and abbreviated. */
export const INTO = /^(?:-[A-Za-z]*t|--t[\w-]*)/;
/** Options whose value is a file that is written, by command. */
const OUTPUT_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-\w*o|--o\w*)/,
  curl: /^(?:-\w*[oDc]|--(?:output|output-dir|dump-header|cookie-jar|trace|trace-ascii|stderr|hsts|alt-svc|libcurl|etag-save))/,
  wget: /^(?:-\w*[OPoa]|--(?:output-document|directory-prefix|output-file|append-output|save-cookies))/,
  unzip: /^-\w*d/,
  tar: /^(?:-\w*[fCgX]|--(?:fil|dir|one-t|listed-incremental|index-file|exclude-from)[\w-]*)/,
  install: INTO,
  cp: INTO,
  mv: INTO,
  ln: INTO,
  rsync: /^--(?:log-file|backup-dir|partial-dir|temp-dir|write-batch|only-write-batch)/,
  git: /^(?:-o|--(?:ou|pref|separate-git-dir|file=|template)[\w-]*)/,
  find: /^-f(?:print|ls)/,
  grep: /$^/,
  rg: /$^/,
  ls: /$^/,
  ps: /$^/,
  set: /$^/,
  ssh: /$^/,
};
const ANY_OUTPUT = /^(?:-o|--out(?:put)?-?(?:[fF]ile|[dD]ir)?)(?:=|$|(?=[/\w.]))/;
const ENTERED: Readonly<Record<string, RegExp>> = {
  git: /^(?:-C|--git-dir|--work-tree)/,
  make: /^(?:-C|--directory)/,
  gmake: /^(?:-C|--directory)/,
  npm: /^(?:-C|--prefix)/,
  pnpm: /^(?:-C|--dir)/,
  yarn: /^--cwd/,
  cargo: /^(?:-C|--manifest-path)/,
  go: /^-C/,
};
const GIT_CHANGES = list(
  "checkout restore apply am mv rm clean clone init worktree archive bundle format-patch sparse-checkout",
);

/** The files that a command's words name. In doubt, more than it really uses. */
export function fileUses(words: readonly string[]): FileUses {
  const [path = "", ...args] = words;
  const name = commandName(path);
  const uses: FileUses = { reads: [], writes: [], others: [], enters: [] };
  const operands = args.filter((arg) => !arg.startsWith("-"));
  uses.writes.push(...optionValues(args, entryOf(OUTPUT_OPTIONS, name) ?? ANY_OUTPUT));
  uses.enters.push(...optionValues(args, entryOf(ENTERED, name) ?? /$^/));
  if (SPEAKERS.has(name)) return uses;

  if (CHANGERS.has(name)) uses.writes.push(...operands);
  else if (COPIERS.has(name)) uses.writes.push(...operands.slice(-1));
  else if (name === "dd") uses.writes.push(...args.flatMap((arg) => after(arg, "of=")));
  else if (/^g?sed$|^[gmn]?awk$|^perl$|^ruby$|^yq$/.test(name)) {
    uses.writes.push(...editedBy(name, args));
    uses.reads.push(...args.flatMap(readByScript));
  } else if (name === "git") uses.writes.push(...changedByGit(operands, args));
  else if (name === "tar") uses.writes.push(...changedByTar(args, operands));
  else if (name === "find" && args.includes("-delete")) uses.writes.push(...operands);
  else if (/^(?:uniq|xxd|iconv|zip|unzip|7z)$/.test(name))
    uses.writes.push(...operands.slice(name === "zip" ? 0 : 1));
  else if (!READERS.has(name))
    uses.others.push(...operands, ...args.flatMap((arg) => after(arg, "=")));

  // The name of a file that a program writes may be in a variable.
  if (name.endsWith("awk") && args.some((arg) => arg.includes(">")))
    uses.others.push(...operands, ...args.flatMap((arg) => after(arg, "=")));

  const isChange =
    CHANGERS.has(name) && name !== "mv" && !/^(?:ex|ed|n?vim?|less|patch|split)$/.test(name);
  if (!isChange) uses.reads.push(...args.flatMap(mentioned));
  return uses;
}

function entryOf(table: Readonly<Record<string, RegExp>>, name: string): RegExp | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Every way in which a word may name a file: itself, behind `=`, `@` or `:`, or written onto a short option. */
function mentioned(arg: string): string[] {
  const parts = [...after(arg, "="), ...after(arg, "@"), ...after(arg, ":")];
  if (/^-[A-Za-z]./.test(arg)) return [arg.slice(2), ...parts];
  return arg.startsWith("-") ? parts : [arg, ...parts];
}

function after(arg: string, mark: string): string[] {
  const at = arg.indexOf(mark);
  const value = at < 0 ? "" : arg.slice(at + mark.length);
  return value === "" ? [] : [value];
}

/** Values attached to a matching option, and those in the next word. */
function optionValues(args: readonly string[], option: RegExp): string[] {
  return args.flatMap((arg, index) => {
    const [found] = option.exec(arg) ?? [];
    if (found === undefined) return [];
    const attached = arg.includes("=") ? arg.replace(/^[^=]*=/, "") : arg.slice(found.length);
    if (attached !== "") return [attached];
    return args[index + 1] === undefined ? [] : [args[index + 1] ?? ""];
  });
}

/** Possible places of `w` in an editing script: behind an address, a separator or the flags of a substitution. */
const WRITE = "(?<=^|[^A-Za-z]|[^\\w\\s][gpiImMe\\d]{1,8})[wW]\\s*([^\\s;}]+)";
/** In a text like `s/w/x/w file`, either may be the command. */
const FIRST_WRITE = new RegExp(WRITE, "g");
const LAST_WRITE = new RegExp(`(?<![^\\s;}])[^\\s;}]*${WRITE}`, "g");

/** Files that `r` of an editing script, or `<` in one of `awk`, may read. */
function readByScript(script: string): string[] {
  const found = [
    ...script.matchAll(/(?<=^|[^A-Za-z])[rR]\s*([^\s;}]+)/g),
    ...script.matchAll(/<\s*"([^"]+)"/g),
  ];
  return found.map(([, file = ""]) => file);
}

function editedBy(name: string, args: readonly string[]): string[] {
  const scripts = args.flatMap((arg) => [
    ...[FIRST_WRITE, LAST_WRITE].flatMap((write) =>
      [...arg.matchAll(write)].map(([, file = ""]) => file),
    ),
    ...[...arg.matchAll(/[>|]\s*"([^"]+)"/g)].map(([, file = ""]) => file),
  ]);
  const isInPlace = args.some((arg) =>
    name.endsWith("awk") ? arg === "inplace" : /^(?:-[A-Za-z]*i|--in-place|--inplace)/.test(arg),
  );
  const operands = args.filter((arg) => !arg.startsWith("-"));
  return isInPlace ? [...scripts, ...operands] : scripts;
}

/** Settings with which Git runs a program, reads further settings or works in another place. */
const RUNNING_SETTING =
  /^(?:alias|filter|pager|credential|gpg|include|includeif|difftool|mergetool|protocol|trailer|sendemail|hook)\.|^core\.(?:hookspath|fsmonitor|pager|editor|sshcommand|gitproxy|askpass|worktree|alternaterefscommand|attributesfile)$|^diff\.(?:external$|.*\.(?:command|textconv)$)|^merge\..*\.driver$|^sequence\.editor$|^interactive\.difffilter$|^uploadpack\.packobjectshook$|^remote\..*\.(?:vcs|uploadpack|receivepack)$|^submodule\..*\.update$|^init\.templatedir$/i;

function changedByGit(
  [subcommand = "", ...rest]: readonly string[],
  args: readonly string[],
): string[] {
  const changed = GIT_CHANGES.has(subcommand) ? rest : [];
  // Hooks of a template become those of the repository.
  if (/^(?:clone|init|init-db)$/.test(subcommand) && args.some((arg) => arg.startsWith("--te")))
    return [...changed, ".git/hooks"];
  const sets =
    subcommand === "config" &&
    !readsConfig(args.slice(args.indexOf("config") + 1)) &&
    rest.some((word) => RUNNING_SETTING.test(word));
  return sets ? [...changed, ".git/config"] : changed;
}

/** The archive that is created, or the target directory of an extraction. */
function changedByTar(args: readonly string[], operands: readonly string[]): string[] {
  const [mode = ""] = args;
  const isBundle = /^[A-Za-z]+$/.test(mode);
  const extracts = args.some((arg, at) =>
    arg.startsWith("--")
      ? /^--(?:extract|get)/.test(arg)
      : (arg.startsWith("-") || (at === 0 && isBundle)) && arg.includes("x"),
  );
  // Each letter of a bundle with a value takes the next word: `xfC a.tar out`.
  const archive = isBundle ? operands.slice(1, /[CgX]/.test(mode) ? undefined : 2) : [];
  return extracts ? [...archive, "."] : archive;
}

/** The directories a line may work in: its start, and the targets of its `cd`s. `isKnown`: no other is possible. */
export function directoryChanges(commands: readonly (readonly string[])[]): {
  targets: string[];
  isKnown: boolean;
} {
  const targets = new Set<string>();
  let isKnown = true;
  for (const [path = "", ...args] of commands) {
    const name = commandName(path);
    if (name === "popd") isKnown = false;
    if (name !== "cd" && name !== "pushd" && name !== "chdir") continue;
    const operand = args.find((arg) => !/^-[LPe@-]*$/.test(arg) || arg === "-");
    const target = operand ?? (name === "cd" ? "~" : "-");
    if (
      target === "-" ||
      /[$`*?[{]/.test(target) ||
      /^~[^/]/.test(target) ||
      /^[+-]\d/.test(target)
    )
      isKnown = false;
    else targets.add(target);
  }
  return { targets: [...targets], isKnown: isKnown && targets.size <= 6 };
}
