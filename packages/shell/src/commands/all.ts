import type { ShellCommand } from "../command.ts";
import type { VirtualShellOptions } from "../options.ts";
import { lazily } from "./lazy.ts";

/**
 * What people and agents write all the time and the interpreter lacks or words differently than GNU programs do. Each
 * module loads when one of its commands first runs.
 */
export const addedCommands: readonly ShellCommand[] = [
  ...lazily(
    () => import("./additions.ts"),
    ["chmod", "column", "date", "du", "expr", "mkdir", "printf", "touch", "tr", "umask"],
  ),
  ...lazily(() => import("./awk/index.ts"), ["awk"]),
  ...lazily(() => import("./numbers/bc.ts"), ["bc"]),
  ...lazily(
    () => import("./numbers/checksums.ts"),
    ["base32", "base64", "cksum", "md5sum", "sha1sum", "sha256sum", "sha384sum", "sha512sum"],
  ),
  ...lazily(() => import("./compare/cmp.ts"), ["cmp"]),
  ...lazily(() => import("./files/copy-move.ts"), ["cp", "mv", "rm"]),
  ...lazily(() => import("./text/cut.ts"), ["cut"]),
  ...lazily(() => import("./compare/diff.ts"), ["diff"]),
  ...lazily(() => import("./files/file.ts"), ["file"]),
  ...lazily(() => import("./files/file-tools.ts"), ["install", "truncate"]),
  ...lazily(() => import("./search/find.ts"), ["find"]),
  ...lazily(() => import("./search/grep.ts"), ["egrep", "fgrep", "grep", "zgrep"]),
  ...lazily(() => import("./archive/gzip.ts"), ["gunzip", "gzip", "zcat"]),
  ...lazily(() => import("./text/head-tail.ts"), ["head", "tail"]),
  ...lazily(() => import("./numbers/hex.ts"), ["dd", "hexdump", "xxd"]),
  ...lazily(() => import("./text/jq.ts"), ["jq"]),
  ...lazily(() => import("./files/ls.ts"), ["ls"]),
  ...lazily(() => import("./text/nl.ts"), ["nl"]),
  ...lazily(() => import("./numbers/numbers.ts"), ["factor", "numfmt", "seq", "tsort"]),
  ...lazily(() => import("./numbers/od.ts"), ["od"]),
  ...lazily(() => import("./compare/patch.ts"), ["patch"]),
  ...lazily(
    () => import("./process/processes.ts"),
    [
      "groups",
      "id",
      "ionice",
      "jobs",
      "kill",
      "nice",
      "nohup",
      "setsid",
      "stdbuf",
      "times",
      "tty",
      "ulimit",
    ],
  ),
  ...lazily(() => import("./files/realpath.ts"), ["realpath"]),
  ...lazily(() => import("./process/shells.ts"), ["bash", "sh"]),
  ...lazily(
    () => import("./process/small.ts"),
    ["ln", "mktemp", "nproc", "paste", "shuf", "uname", "yes"],
  ),
  ...lazily(() => import("./text/sed.ts"), ["sed"]),
  ...lazily(() => import("./text/sort.ts"), ["sort"]),
  ...lazily(() => import("./files/stat.ts"), ["stat"]),
  ...lazily(() => import("./archive/tar.ts"), ["tar"]),
  ...lazily(
    () => import("./text/text-tools.ts"),
    ["envsubst", "fmt", "iconv", "less", "look", "more"],
  ),
  ...lazily(() => import("./text/uniq.ts"), ["uniq"]),
  ...lazily(() => import("./text/wc.ts"), ["wc"]),
  ...lazily(() => import("./process/xargs.ts"), ["xargs"]),
  ...lazily(() => import("./archive/zip.ts"), ["unzip", "zip"]),
];

/** Those that depend on how the shell was made. */
export function configuredCommands({
  git = {},
  scripts = {},
}: VirtualShellOptions): readonly ShellCommand[] {
  return [
    ...lazily(async () => ({ git: (await import("../git/index.ts")).createGit(git) }), ["git"]),
    ...lazily(async () => (await import("./js/index.ts")).createScripts(scripts), ["js", "node"]),
  ];
}
