// The cost of Grep and Glob on the files directly, next to `grep` and `find` in the virtual shell. Writes its section of
// docs/evidence/benchmarks.md: `node --conditions=@robota/source test/bench/search-speed.ts`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NodeFileSystem } from "@robota/adapters-node";
import { type FileSystem, type Tool, type ToolArgs, globTool, grepTool } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { rgPath } from "@vscode/ripgrep";
import { toolContext } from "../support/tool-context.ts";
import { table, writeSection } from "./section.ts";

const FILES = 10_000;
/** Enough for the host to have compiled what both do; a disk is slow enough for few. */
const ROUNDS = 9;
const DISK_ROUNDS = 3;
const rules = { refusesFile: () => undefined, refusesCommand: () => undefined };

/** Source files as a project has them: 100 directories, some two kilobytes each, one in fifty with the text looked for. */
function tree(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < FILES; at++) {
    const lines = Array.from(
      { length: 40 },
      (_, line) => `export const value${at}x${line} = compute(${line}, "some text");`,
    );
    if (at % 50 === 0) lines[20] = `throw new RangeError("unexpectedState ${at}");`;
    files[`${root}/src/d${at % 100}/file${at}.ts`] = `${lines.join("\n")}\n`;
  }
  return files;
}

interface Subject {
  name: string;
  direct: () => Promise<string>;
  shell: () => Promise<string>;
}

function subjects(fs: FileSystem, root: string): Subject[] {
  const shell = new VirtualShell({ fs });
  const platform = { ...memoryPlatform(), fs };
  const tool = (used: Tool, args: ToolArgs) => async (): Promise<string> => {
    const result = await used.execute(args, toolContext(platform, { cwd: root, rules }));
    const output = typeof result === "string" ? result : result.output;
    return typeof output === "string" ? output : "";
  };
  const command = (line: string) => async (): Promise<string> => {
    const { stdout, stderr, exitCode } = await shell.exec(line, { cwd: root, rules });
    if (exitCode > 1) throw new Error(stderr);
    return stdout;
  };
  return [
    {
      name: "`grep -rn unexpectedState .`",
      direct: tool(grepTool, { pattern: "unexpectedState", outputMode: "content" }),
      shell: command("grep -rn unexpectedState ."),
    },
    {
      name: "`grep -rl unexpectedState .`",
      direct: tool(grepTool, { pattern: "unexpectedState" }),
      shell: command("grep -rl unexpectedState ."),
    },
    {
      name: "`grep -rnE 'new [A-Z][a-z]+Error' .`",
      direct: tool(grepTool, { pattern: "new [A-Z][a-z]+Error", outputMode: "content" }),
      shell: command("grep -rnE 'new [A-Z][a-z]+Error' ."),
    },
    {
      name: "`grep -rni UNEXPECTEDSTATE .`",
      direct: tool(grepTool, {
        pattern: "UNEXPECTEDSTATE",
        outputMode: "content",
        ignoreCase: true,
      }),
      shell: command("grep -rni UNEXPECTEDSTATE ."),
    },
    {
      name: "`find . -name 'file99*.ts'`",
      direct: tool(globTool, { pattern: "**/file99*.ts" }),
      shell: command("find . -name 'file99*.ts'"),
    },
  ];
}

async function time(run: () => Promise<string>): Promise<number> {
  const started = performance.now();
  const output = await run();
  const took = performance.now() - started;
  if (output.split("\n").length < 100) throw new Error(`Too little was found: ${output}`);
  return took;
}

/** Rows of a table: the shortest of the rounds, in which all take turns. */
async function measure(
  name: string,
  fs: FileSystem,
  [root, rounds]: [string, number],
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name: what, direct, shell } of subjects(fs, root)) {
    const best = { direct: Number.POSITIVE_INFINITY, shell: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round++) {
      best.shell = Math.min(best.shell, await time(shell));
      best.direct = Math.min(best.direct, await time(direct));
    }
    const ratio = best.shell / best.direct;
    rows.push([name, what, best.shell.toFixed(0), best.direct.toFixed(0), ratio.toFixed(1)]);
  }
  return rows;
}

const memory = new MemoryFileSystem({ files: tree("/code") });
const overlay = new OverlayFileSystem(memory);
await overlay.writeFile("/code/src/d0/file0.ts", "changed\n");
const rows = [
  ["files", "what", "shell, ms", "Grep, Glob, ms", "times as fast"],
  ...(await measure("memory", memory, ["/code", ROUNDS])),
  ...(await measure("overlay", overlay, ["/code", ROUNDS])),
];
const root = await mkdtemp(join(tmpdir(), "robota-search-"));
try {
  for (const [path, text] of Object.entries(tree(root))) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  rows.push(
    ...(await measure("disk", new NodeFileSystem({ ripgrep: false }), [root, DISK_ROUNDS])),
  );
  rows.push(
    ...(await measure("disk, with ripgrep", new NodeFileSystem({ ripgrep: rgPath }), [
      root,
      DISK_ROUNDS,
    ])),
  );
} finally {
  await rm(root, { recursive: true });
}

writeSection(
  "search",
  `## The cost of searching

Generated by \`test/bench/search-speed.ts\`: Grep and Glob, which work on the files directly, next to the same search as a command
in the virtual shell over the same files, in one run. ${FILES} files of 2 KB in 100 directories, one in 50 with the text looked
for; both under rules. Where ripgrep is on the PATH of a Node program, it only says which files need not be read.

${table(rows)}

The shortest of ${ROUNDS} rounds, on a disk of ${DISK_ROUNDS}, that take turns with each other, on Node ${process.version}.`,
);
