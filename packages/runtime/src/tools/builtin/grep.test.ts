import { expect, it } from "vitest";
import { FileSystemError } from "../../errors.ts";
import { contentText } from "../../messages/message.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { grepTool } from "./grep.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

type Args = Parameters<typeof grepTool.execute>[0];

function workspace(files: Record<string, string | Uint8Array>): TestToolContext {
  const absolute = Object.entries(files).map(([path, data]) => [`/code/${path}`, data] as const);
  return toolContext(memoryPlatform({ files: Object.fromEntries(absolute) }));
}

async function grep(context: TestToolContext, args: Args): Promise<ToolResult> {
  return (await grepTool.execute(args, context)) as ToolResult;
}

const project = {
  "src/a.ts": "import x\nconst needle = 1;\nexport x\n",
  "src/b.ts": "nothing\n",
  "src/lib/c.js": "// Needle\n// needle needle\n",
  ".env": "needle=1\n",
};

it("lists the matching files, sorted", async () => {
  const context = workspace(project);
  expect(await grep(context, { pattern: "needle" })).toEqual({
    success: true,
    output: "/code/.env\n/code/src/a.ts\n/code/src/lib/c.js",
    data: { files: 3 },
  });
  expect((await grep(context, { pattern: "^const\\s+\\w+ =" })).output).toBe("/code/src/a.ts");
});

it("shows matching lines with their numbers", async () => {
  const context = workspace(project);
  const args = { pattern: "needle", path: "src", outputMode: "content" } as const;
  expect(await grep(context, args)).toMatchObject({
    output: "/code/src/a.ts:2:const needle = 1;\n/code/src/lib/c.js:2:// needle needle",
    data: { files: 2, matches: 2 },
  });
  const { output } = await grep(context, { ...args, ignoreCase: true, glob: "*.js" });
  expect(output).toBe("/code/src/lib/c.js:1:// Needle\n/code/src/lib/c.js:2:// needle needle");
});

it("shows context lines, each line once", async () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\r\n");
  const context = workspace({ a: text });
  const args = { pattern: "line (3|5|10)$", outputMode: "content", context: 1 } as const;
  expect((await grep(context, args)).output).toBe(
    [
      "/code/a-2-line 2",
      "/code/a:3:line 3",
      "/code/a-4-line 4",
      "/code/a:5:line 5",
      "/code/a-6-line 6",
      "--",
      "/code/a-9-line 9",
      "/code/a:10:line 10",
      "/code/a-11-line 11",
    ].join("\n"),
  );
});

it("counts matching lines", async () => {
  const context = workspace(project);
  const args = { pattern: "needle", outputMode: "count", ignoreCase: true } as const;
  expect((await grep(context, args)).output).toBe(
    "/code/.env:1\n/code/src/a.ts:1\n/code/src/lib/c.js:2\n4 matching lines in 3 files.",
  );
});

it("searches one file, also an ignored one, and only files that match the glob", async () => {
  const context = workspace({ ...project, "dist/x.js": "needle", ".gitignore": "dist\n" });
  expect((await grep(context, { pattern: "needle", path: "dist/x.js" })).output).toBe(
    "/code/dist/x.js",
  );
  expect((await grep(context, { pattern: "needle", glob: "src/**/*.{js,jsx}" })).output).toBe(
    "/code/src/lib/c.js",
  );
  expect((await grep(context, { pattern: "needle", glob: "!*.js" })).output).toBe(
    "/code/.env\n/code/src/a.ts",
  );
});

it("reports skipped files", async () => {
  const context = workspace({
    "a.bin": "needle\0",
    "b.txt": "needle",
    "other.bin": "something else\0",
    "c.txt": "needle",
    "d.txt": "needle",
  });
  const { fs } = context.platform;
  // A file system that must be asked for each file.
  fs.readMany = () => undefined;
  const [stat, readFile] = [fs.stat.bind(fs), fs.readFile.bind(fs)];
  fs.stat = async (path) => {
    const facts = await stat(path);
    return path.endsWith("c.txt") ? { ...facts, size: 20_000_000 } : facts;
  };
  fs.readFile = async (path) => {
    if (path.endsWith("d.txt")) throw new FileSystemError("EACCES", path);
    return readFile(path);
  };
  await fs.symlink("b.txt", "/code/link");
  expect((await grep(context, { pattern: "needle" })).output).toBe(
    "/code/b.txt\n(Skipped: 1 binary file that matches, 1 file over 10 MB, 1 unreadable path.)",
  );
});

it("counts unsearchable files the same way when many are read at once", async () => {
  const context = workspace({
    "a.bin": "needle\0",
    "b.txt": "needle",
    "large.txt": new Uint8Array(10_000_001).fill(110),
    "marked.txt": new Uint8Array([0xff, 0xfe, 110, 0, 101, 0, 101, 0, 100, 0]),
  });
  await context.platform.fs.symlink("/code", "/link");
  const all = await grep(context, { pattern: "nee" });
  expect(all.output).toBe(
    "/code/b.txt\n/code/marked.txt\n(Skipped: 1 binary file that matches, 1 file over 10 MB.)",
  );
  context.platform.fs.readMany = () => undefined;
  expect(await grep(context, { pattern: "nee" })).toEqual(all);
  expect((await grep(context, { pattern: "nee", path: "/link" })).output).toContain("/link/b.txt");
});

it("reports no matches, and why a search failed", async () => {
  const context = workspace(project);
  expect(await grep(context, { pattern: "absent" })).toMatchObject({
    success: true,
    output: "No match for absent in /code.",
  });
  expect(await grep(context, { pattern: "(" })).toMatchObject({
    success: false,
    errorCode: "invalid_pattern",
    error: "Invalid pattern: missing closing ) at position 1.",
  });
  expect(await grep(context, { pattern: "x", path: "srcs" })).toMatchObject({
    errorCode: "ENOENT",
    output: expect.stringContaining("/code/src?"),
  });
});

it("truncates long lines around the match", async () => {
  const context = workspace({ "min.js": `${"a".repeat(9000)}needle${"b".repeat(9000)}` });
  const { output } = await grep(context, { pattern: "n[e]+dle", outputMode: "content" });
  expect(output).toContain("needle");
  expect(contentText(output).length).toBeLessThan(600);
});

it("shows matches up to the limit and counts the rest", async () => {
  const line = `needle ${"x".repeat(93)}\n`;
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `f${String(index).padStart(2, "0")}`,
      line.repeat(100),
    ]),
  );
  const context = workspace(files);
  const { output, data } = await grep(context, { pattern: "needle", outputMode: "content" });
  const shown = contentText(output).split("\n");
  expect(contentText(output).length).toBeLessThan(30_200);
  const more = (2000 - shown.length + 1).toLocaleString("en");
  expect(shown.at(-1)).toMatch(
    new RegExp(`^… and ${more} more matching lines in \\d+ more files;`),
  );
  expect(data).toEqual({ files: 20, matches: 2000 });
});

it("finds matches across lines on request", async () => {
  const context = workspace({
    "a.ts": "import {\r\n  a,\r\n  b,\r\n} from 'x';\r\nfoo()\r\nimport { c } from 'y';\r\n",
    "b.ts": "import {\n",
  });
  const args = { pattern: "import \\{[^}]*\\}", multiline: true } as const;
  expect((await grep(context, args)).output).toBe("/code/a.ts");
  expect(await grep(context, { ...args, outputMode: "content", context: 1 })).toMatchObject({
    output: [
      "/code/a.ts:1:import {",
      "/code/a.ts:2:  a,",
      "/code/a.ts:3:  b,",
      "/code/a.ts:4:} from 'x';",
      "/code/a.ts-5-foo()",
      "/code/a.ts:6:import { c } from 'y';",
    ].join("\n"),
    data: { files: 1, matches: 5 },
  });
  expect((await grep(context, { ...args, pattern: "^foo.*y'", outputMode: "count" })).output).toBe(
    "/code/a.ts:2\n2 matching lines in 1 file.",
  );
  expect((await grep(context, { pattern: "a,\\n  b", multiline: true })).output).toBe("/code/a.ts");
  expect((await grep(context, { pattern: "a,\\n  b" })).output).toBe(
    "No match for a,\\n  b in /code. Lines are searched one by one unless multiline is true.",
  );
  expect(
    (await grep(context, { pattern: "x*", multiline: true, outputMode: "count" })).output,
  ).toBe("/code/a.ts:6\n/code/b.ts:1\n7 matching lines in 2 files.");
});

it("searches files of a type", async () => {
  const context = workspace({ "a.ts": "x", "b.TSX": "x", "c.js": "x", ts: "x" });
  expect((await grep(context, { pattern: "x", type: "ts" })).output).toBe(
    "/code/a.ts\n/code/b.TSX",
  );
  expect((await grep(context, { pattern: "x", type: "ts", glob: "b*" })).output).toBe(
    "/code/b.TSX",
  );
  expect(await grep(context, { pattern: "x", type: "constructor" })).toMatchObject({
    errorCode: "invalid_arguments",
    output: expect.stringContaining("Use glob, or one of c, cpp,"),
  });
});

it("omits files that the session's rules deny reading", async () => {
  const context = workspace({ ...project, "secret/key": "needle", a: "needle" });
  const { fs } = context.platform;
  await fs.symlink("/code/secret", "/code/way");
  await fs.symlink("/code/secret/key", "/code/link");
  context.rules = {
    refusesFile: (path) => (/\/secret\/|\.env$/.test(path) ? `${path} is off limits.` : undefined),
    refusesCommand: () => undefined,
  };
  expect((await grep(context, { pattern: "needle" })).output).toBe(
    "/code/a\n/code/src/a.ts\n/code/src/lib/c.js",
  );
  for (const path of ["secret", "way"]) {
    expect((await grep(context, { pattern: "needle", path })).output).toBe(
      `No match for needle in /code/${path}.`,
    );
  }
  for (const path of [".env", "link", "way/key"]) {
    expect(await grep(context, { pattern: "needle", path })).toMatchObject({
      success: false,
      errorCode: "permission_denied",
    });
  }
});

it("opens a file before it checks the rules, so that a file swapped for a link is not searched", async () => {
  const context = workspace({ a: "needle", "secret/key": "needle" });
  const { fs } = context.platform;
  context.rules = {
    refusesFile: (path) => (path.startsWith("/code/secret/") ? "off limits" : undefined),
    refusesCommand: () => undefined,
  };
  const readdir = fs.readdir.bind(fs);
  fs.readdir = async (path) => {
    const entries = await readdir(path);
    await fs.remove("/code/a", { force: true });
    await fs.symlink("secret/key", "/code/a");
    return entries;
  };
  expect((await grep(context, { pattern: "needle", outputMode: "content" })).output).toBe(
    "No match for needle in /code.",
  );
});

it("reads UTF-16", async () => {
  const context = workspace({ a: Uint8Array.from([0xff, 0xfe, 0x78, 0, 10, 0, 0xe9, 0]) });
  expect((await grep(context, { pattern: "é", outputMode: "content" })).output).toBe("/code/a:2:é");
});

it("stops on abort, in the middle of a large file", async () => {
  // Two more files, so that no machine has searched all of it before the abort comes.
  const large = new TextEncoder().encode("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(290_000));
  const context = workspace({ a: large, b: large, c: large });
  await expectWithin(1000, async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const search = grep(
      { ...context, signal: controller.signal },
      { pattern: "(a|b|ab)*c$", outputMode: "count" },
    );
    await expect(search).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("escapes names that would disturb the list", async () => {
  const context = workspace({ "a\n\u001b\u009bb": "needle" });
  const shown = String.raw`/code/a\u{a}\u{1b}\u{9b}b`;
  for (const [outputMode, output] of [
    ["files_with_matches", shown],
    ["content", `${shown}:1:needle`],
    ["count", `${shown}:1\n1 matching line in 1 file.`],
  ] as const)
    expect(await grep(context, { pattern: "needle", outputMode })).toMatchObject({ output });
});
