// Makes `docs/shell.md` from the recorded answers and the list of differences; `--check` only tells whether it is
// current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { groups, reasons } from "../../test/conformance/groups.ts";

const target = join(import.meta.dirname, "../../docs/shell.md");

const INTRODUCTION = [
  "# The virtual shell next to bash",
  "",
  "Made by `node scripts/docs/shell-table.ts` from what `test/conformance` recorded with bash 5.2 and the GNU tools of Debian 12.",
  "Each command line runs in a fresh copy of the same small project; standard output, exit status, whether anything was",
  "written to standard error, and every file afterwards must be the same. The answers are replayed on memory in Node,",
  "Chromium and workerd, and on each host's own files: a directory of the machine, IndexedDB behind a worker, the SQLite of",
  "a Durable Object. A difference that is not listed here fails a test, and so does one that is listed and gone.",
  "",
];

const HOW_IT_WORKS = [
  "## How it works",
  "",
  "- Stages of a pipeline that print over time (loops, groups, functions, scripts, `yes`, `seq`) run side by side, each a",
  "  shell of its own, and pipes of 64 kB connect them. Who prints where nobody reads any more ends with status 141, and so",
  "  do loops around such programs, which bash lets go on. `cat`, `cut`, `grep`, `head`, `nl`, `sed`, `tee`, `tr`, `uniq`,",
  "  `awk`, `xargs`, `read` and shells take lines as they come; other programs wait for all of their input, which has a limit.",
  "  Stages that are done in no time run one after the other.",
  "- An abort and the end of a command's time end it within 250 ms, in `awk`, `sed` and `jq` as well. A `js` script that",
  "  computes pauses every 15 ms and is ended by an abort too, where the host can suspend WebAssembly: Node from version 24,",
  "  workerd and Chromium do. On other hosts its time alone ends it. That holds within each of its built-in functions as",
  "  well, `sort` and regular expressions included. One call of the host's own engine, such as reading many megabytes of",
  "  JSON at once, can't be paused.",
  "- In a tab the shell runs in Web Workers, on Node (`nodeVirtualShell`, which platforms with a `root` have) in processes of its",
  "  own: what does not end when told to ends with its worker or process, and nothing else waits for it. On Node that holds for",
  "  what takes too much memory, too (by default 1 GB of heap), with exit code 137; the processes have no environment, may",
  "  write no files and start no programs, and end with the program that started them. All of it holds for what is tried out",
  "  before anybody is asked.",
  "- Output is told as it is printed. `yes` that is not piped prints 10,000 lines; `/dev/zero` and `/dev/urandom` hold 64 kB,",
  "  and as much as `head -c` and `dd` ask for. Counts limit everything else.",
  "- Programs load when they first run. Each goes through the files that the shell was given, so rules about files hold in",
  "  `tar`, `patch` and `sed -i` as well. `tar` and `unzip` write nothing outside of their directory, neither by `..` nor through",
  "  a link.",
  "- `grep`, `sed` and `find -regex` take time that grows with the length of a line. Look-around and back references run",
  "  on the host's own engine where they can't take exponential time, and say so where they could.",
  "- `gzip`, `tar z` and `zip` use the host's `CompressionStream`. There is no bzip2 and no xz.",
  "- `curl` and `git` reach nothing unless the shell is given a `fetch`. Then they reach public hosts on the ports of web servers:",
  "  loopback, private, link-local and metadata addresses are refused unless `policy.allowPrivateOrigins` lists the origin, and so",
  "  is what a `WebFetch` rule denies. With a `pinnedFetch` beside the `fetch`, a public name that resolves to such an address is",
  "  refused too; `nodeVirtualShell` brings one for Node's own `fetch`, browsers and workers resolve names out of reach. Redirects,",
  "  and addresses behind `corsProxy`, are judged in the same way. `curl` fails with status 7, `git` with 128.",
  "",
];

/** The text of `docs/shell.md`. */
export function renderShellTable(): string {
  const lines = [
    ...INTRODUCTION,
    ...shareTable(),
    "",
    ...HOW_IT_WORKS,
    "## What is different",
    "",
    ...differences(),
  ];
  return lines.join("\n").trimEnd().concat("\n");
}

/** Share of each group's commands that answer as recorded. */
function shareTable(): string[] {
  const isDifferent = new Set(Object.values(reasons).flat());
  const rows = groups.map(({ title, cases }) => {
    const equal = cases.filter(({ command }) => !isDifferent.has(command)).length;
    return { title, equal, all: cases.length };
  });
  const equal = rows.reduce((sum, row) => sum + row.equal, 0);
  const all = rows.reduce((sum, row) => sum + row.all, 0);
  return formatTable([
    ["commands", "recorded", "equal", "share"],
    ...[...rows, { title: "All", equal, all }].map((row) => [
      row.title,
      String(row.all),
      String(row.equal),
      percent(row.equal / row.all),
    ]),
  ]);
}

/** A Markdown table whose first row is its heading: texts in the first column, numbers in the others. */
function formatTable(cells: readonly string[][]): string[] {
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) => {
    const padded = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    return `| ${padded.join(" | ")} |`;
  });
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [lines[0] ?? "", `| ${rule.join(" | ")} |`, ...lines.slice(1)];
}

function differences(): string[] {
  return Object.entries(reasons).flatMap(([reason, commands]) => [
    `### ${reason}`,
    "",
    "```bash",
    ...commands,
    "```",
    "",
  ]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) writeFileSync(target, renderShellTable());
  else if (readFileSync(target, "utf8") !== renderShellTable()) {
    console.error("docs/shell.md is not current: run node scripts/docs/shell-table.ts");
    process.exitCode = 1;
  }
}
