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
  ...lazily(() => import("./awk.ts"), ["awk"]),
  ...lazily(() => import("./bc.ts"), ["bc"]),
  ...lazily(
    () => import("./checksums.ts"),
    ["base32", "base64", "cksum", "md5sum", "sha1sum", "sha256sum", "sha384sum", "sha512sum"],
  ),
  ...lazily(() => import("./cmp.ts"), ["cmp"]),
  ...lazily(() => import("./copy-move.ts"), ["cp", "mv", "rm"]),
  ...lazily(() => import("./cut.ts"), ["cut"]),
  ...lazily(() => import("./diff.ts"), ["diff"]),
  ...lazily(() => import("./file.ts"), ["file"]),
  ...lazily(() => import("./file-tools.ts"), ["install", "truncate"]),
  ...lazily(() => import("./find.ts"), ["find"]),
  ...lazily(() => import("./grep.ts"), ["egrep", "fgrep", "grep", "zgrep"]),
  ...lazily(() => import("./gzip.ts"), ["gunzip", "gzip", "zcat"]),
  ...lazily(() => import("./head-tail.ts"), ["head", "tail"]),
  ...lazily(() => import("./hex.ts"), ["dd", "hexdump", "xxd"]),
  ...lazily(() => import("./jq.ts"), ["jq"]),
  ...lazily(() => import("./ls.ts"), ["ls"]),
  ...lazily(() => import("./nl.ts"), ["nl"]),
  ...lazily(() => import("./numbers.ts"), ["factor", "numfmt", "seq", "tsort"]),
  ...lazily(() => import("./od.ts"), ["od"]),
  ...lazily(() => import("./patch.ts"), ["patch"]),
  ...lazily(
    () => import("./processes.ts"),
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
  ...lazily(() => import("./realpath.ts"), ["realpath"]),
  ...lazily(() => import("./shells.ts"), ["bash", "sh"]),
  ...lazily(() => import("./small.ts"), ["ln", "mktemp", "nproc", "paste", "shuf", "uname", "yes"]),
  ...lazily(() => import("./sed.ts"), ["sed"]),
  ...lazily(() => import("./sort.ts"), ["sort"]),
  ...lazily(() => import("./stat.ts"), ["stat"]),
  ...lazily(() => import("./tar.ts"), ["tar"]),
  ...lazily(() => import("./text-tools.ts"), ["envsubst", "fmt", "iconv", "less", "look", "more"]),
  ...lazily(() => import("./uniq.ts"), ["uniq"]),
  ...lazily(() => import("./wc.ts"), ["wc"]),
  ...lazily(() => import("./xargs.ts"), ["xargs"]),
  ...lazily(() => import("./zip.ts"), ["unzip", "zip"]),
];

/** Those that depend on how the shell was made. */
export function configuredCommands({
  git = {},
  scripts = {},
}: VirtualShellOptions): readonly ShellCommand[] {
  return [
    ...lazily(async () => ({ git: (await import("./git/index.ts")).createGit(git) }), ["git"]),
    ...lazily(async () => (await import("./js/index.ts")).createScripts(scripts), ["js", "node"]),
  ];
}
