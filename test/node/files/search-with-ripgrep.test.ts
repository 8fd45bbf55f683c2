import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { NodeFileSystem } from "@robota/adapters-node";
import { grepTool, type ToolResult } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toolContext } from "../../support/tool-context.ts";
import { turnClock } from "../../support/time/own-time.ts";

type GrepArgs = Parameters<typeof grepTool.execute>[0];

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "robota-search-"));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function grep(fs: NodeFileSystem, cwd: string, args: GrepArgs): Promise<ToolResult | string> {
  return grepTool.execute(args, toolContext({ ...memoryPlatform(), fs }, { cwd }));
}

const alone = new NodeFileSystem({ ripgrep: false });
const helped = new NodeFileSystem({ ripgrep: rgPath });

const WORDS = [
  "needle",
  "Needle",
  "NEEDLE",
  "nee",
  "dle",
  "kiss",
  "KISS",
  "\u212aiſs",
  "foo",
  "bar",
  "naïve",
  "é",
  "e\u0301",
  "😀",
  "\ufffd",
  "\ufeff",
  "\0",
  "\n",
  "\r\n",
  "\r",
  " ",
  "\t",
  "x".repeat(300),
] as const;
const words = fc.constantFrom(...WORDS);
const rawBytes = fc.constantFrom([0xff], [0xc3], [0xe9], [0xf0, 0x9f], [0xff, 0xfe], [0xed, 0xa0]);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string, isLittle: boolean): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return isLittle ? bytes : bytes.swap16();
};
const text = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(""));
const content = fc.oneof(
  { weight: 3, arbitrary: text.map(utf8) },
  text.map((said) => utf8(`\ufeff${said}`)),
  text.map((said) => utf16(said, true)),
  text.map((said) => utf16(said, false)),
  fc
    .array(
      fc.oneof(
        words.map(utf8),
        rawBytes.map((bytes) => Uint8Array.from(bytes)),
      ),
      { maxLength: 12 },
    )
    .map((parts) => Buffer.concat(parts)),
);
const NAMES = [
  "a.ts",
  "-e",
  "--files",
  "a b",
  " ",
  "näme",
  "na\u0308me",
  "line\nfeed",
  "'\"`$x",
  "*",
  "[a]",
  ".hidden",
  "out.log",
  "😀",
  "\\",
  "x.ts",
  "UPPER",
  "upper",
  "%s",
  "#",
  "~",
] as const;
const name = fc.constantFrom(...NAMES);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

async function makeTree(directory: string, files: readonly [string, Uint8Array][]): Promise<void> {
  for (const [at, bytes] of files) {
    const file = join(directory, at);
    // A name may be that of a directory already, or the other way round.
    await mkdir(dirname(file), { recursive: true }).catch(() => undefined);
    await writeFile(file, bytes).catch(() => undefined);
  }
  await writeFile(join(directory, ".gitignore"), "*.log\n/a b/\n");
  await symlink("a.ts", join(directory, "link"));
  await symlink(".", join(directory, "loop"));
  await symlink("nowhere", join(directory, "dangling"));
  await writeFile(join(directory, "closed"), "needle");
  await chmod(join(directory, "closed"), 0);
  await promisify(execFile)("mkfifo", [join(directory, "pipe")]);
}

const searches: GrepArgs[] = [
  { pattern: "needle", outputMode: "content", context: 1 },
  { pattern: "needle", ignoreCase: true, outputMode: "count" },
  { pattern: "kiss", ignoreCase: true },
  { pattern: "foo|bar|naïve", outputMode: "content" },
  { pattern: "n.*dle$", outputMode: "content" },
  { pattern: "\\bnee(dle)?\\b", ignoreCase: true, outputMode: "count" },
  { pattern: "é" },
  { pattern: "\ufffd", outputMode: "count" },
  { pattern: "[x]{300}|😀" },
  { pattern: "dle\\n|foo\nbar", multiline: true, outputMode: "content" },
  { pattern: "-e" },
];

it("finds the same with and without ripgrep, for any names and contents", async () => {
  const trees = fc.array(fc.tuple(path, content), { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(trees, (files) =>
      inDirectory(async (directory) => {
        await makeTree(directory, files);
        for (const search of searches) {
          const found = await grep(helped, directory, search);
          expect([search, found]).toEqual([search, await grep(alone, directory, search)]);
        }
      }),
    ),
    { numRuns: 4 },
  );
});

it("reads only files that may match, and passes thousands to ripgrep in a few runs", () =>
  inDirectory(async (directory) => {
    const files = Array.from({ length: 2000 }, (_, index) => {
      const at = join(directory, `${"long-name-".repeat(10)}${index}.txt`);
      return [at, index % 1000 === 7 ? "a needle" : "hay"] as const;
    });
    await Promise.all(files.map(([at, said]) => writeFile(at, said)));
    const read: string[] = [];
    const watched = new NodeFileSystem({ ripgrep: rgPath });
    watched.readMany = (paths, maxBytes) => {
      read.push(...paths);
      return alone.readMany(paths, maxBytes);
    };
    const found = await grep(watched, directory, { pattern: "need(le)?" });
    expect(found).toMatchObject({ data: { files: 2 } });
    expect(read.map((at) => at.slice(-8))).toEqual(["1007.txt", "me-7.txt"]);
  }));

it("searches without ripgrep where it is missing, fails, or prints garbage", () =>
  inDirectory(async (directory) => {
    await writeFile(join(directory, "a.txt"), "needle");
    const expected = await grep(alone, directory, { pattern: "needle" });
    expect(expected).toMatchObject({ data: { files: 1 } });
    const program = join(directory, "rg");
    for (const script of ["exit 2", "kill -9 $$", "echo nonsense; exit 3"]) {
      await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const fs = new NodeFileSystem({ ripgrep: program });
      expect(await grep(fs, directory, { pattern: "needle", glob: "*.txt" })).toEqual(expected);
    }
    const missing = new NodeFileSystem({ ripgrep: join(directory, "nope") });
    expect(await grep(missing, directory, { pattern: "needle", glob: "*.txt" })).toEqual(expected);
  }));

it("ends with the turn while ripgrep runs", () =>
  inDirectory(async (directory) => {
    await writeFile(join(directory, "a.txt"), "needle");
    const program = join(directory, "rg");
    await writeFile(program, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    const fs = new NodeFileSystem({ ripgrep: program });
    const context = toolContext(
      { ...memoryPlatform(), fs },
      { cwd: directory, signal: AbortSignal.timeout(100) },
    );
    using clock = turnClock();
    await expect(grepTool.execute({ pattern: "needle" }, context)).rejects.toThrow("abort");
    expect(clock.ms()).toBeLessThan(5000);
  }));
