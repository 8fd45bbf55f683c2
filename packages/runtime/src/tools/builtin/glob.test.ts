import { expect, it } from "vitest";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { contentText } from "../../messages/message.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { globTool } from "./glob.ts";

function workspace(...paths: string[]): TestToolContext {
  const files = Object.fromEntries(paths.map((path) => [`/code/${path}`, ""]));
  return toolContext(memoryPlatform({ files }));
}

async function glob(context: TestToolContext, pattern: string, path?: string): Promise<ToolResult> {
  const args = path === undefined ? { pattern } : { pattern, path };
  return (await globTool.execute(args, context)) as ToolResult;
}

it("lists absolute paths, sorted", async () => {
  const context = workspace("src/b.ts", "src/a.ts", "src/lib/c.ts", "src-x/d.ts", "README.md");
  expect(await glob(context, "**/*.ts")).toEqual({
    success: true,
    output: "/code/src-x/d.ts\n/code/src/a.ts\n/code/src/b.ts\n/code/src/lib/c.ts",
    data: { files: 4 },
  });
  expect((await glob(context, "*.{md,ts}")).output).toBe("/code/README.md");
  expect((await glob(context, "src/")).output).toBe((await glob(context, "src/**")).output);
});

it("searches in a directory, and accepts patterns that name one", async () => {
  const context = workspace("src/a.ts", "src/lib/b.ts");
  const only = "/code/src/lib/b.ts";
  expect((await glob(context, "*.ts", "src/lib")).output).toBe(only);
  expect((await glob(context, "src/lib/*.ts")).output).toBe(only);
  expect((await glob(context, "/code/src/lib/*.ts", "src")).output).toBe(only);
  expect((await glob(context, "../lib/*.ts", "src/lib")).output).toBe(only);
});

it("omits ignored files and dotfiles by default", async () => {
  const context = workspace("a.js", ".env", "node_modules/x/index.js", ".github/ci.yml");
  await context.platform.fs.writeFile("/code/.gitignore", "node_modules\n");
  expect((await glob(context, "**/*")).output).toBe("/code/a.js");
  expect((await glob(context, ".*")).output).toBe("/code/.env\n/code/.gitignore");
  expect((await glob(context, ".github/*")).output).toBe("/code/.github/ci.yml");
  expect((await glob(context, "node_modules/x/*.js")).output).toBe("/code/node_modules/x/index.js");
});

it("lists links to files, but not to directories or missing targets", async () => {
  const context = workspace("a/file");
  const { fs } = context.platform;
  await fs.symlink("file", "/code/a/good");
  await fs.symlink("..", "/code/a/loop");
  await fs.symlink("gone", "/code/a/broken");
  expect((await glob(context, "**")).output).toBe("/code/a/file\n/code/a/good");
});

it("omits files that the session's rules deny reading, through any link", async () => {
  const context = workspace("a", ".env", "src/.env", "secret/key", "src/b");
  const { fs } = context.platform;
  await fs.symlink("../secret/key", "/code/src/link");
  await fs.symlink("secret", "/code/way");
  context.rules = {
    refusesFile: (path, kind) =>
      kind === "read" && /\/secret\/|\.env$/.test(path) ? "off limits" : undefined,
    refusesCommand: () => undefined,
  };
  expect((await glob(context, "**")).output).toBe("/code/a\n/code/src/b");
  for (const pattern of ["secret/*", "way/*", "**/.env", "src/link"]) {
    expect(await glob(context, pattern)).toMatchObject({
      output: `No file in /code matches ${pattern}.`,
      data: { files: 0 },
    });
  }
  expect((await glob(context, "*", "way")).output).toBe("No file in /code/way matches *.");
});

it("reports no matches and a missing directory", async () => {
  const context = workspace("src/a.ts");
  const none = { success: true, output: "No file in /code matches nowhere/*.ts." };
  expect(await glob(context, "nowhere/*.ts")).toMatchObject(none);
  expect(await glob(context, "*", "scr")).toMatchObject({
    errorCode: "ENOENT",
    output: expect.stringContaining("Did you mean /code/src?"),
  });
  expect(await glob(context, "*", "src/a.ts")).toMatchObject({ errorCode: "ENOTDIR" });
  expect(await glob(context, "!(a)")).toMatchObject({ errorCode: "invalid_pattern" });
});

it("lists up to the limit and counts the rest", async () => {
  const paths = Array.from(
    { length: 3000 },
    (_, index) => `file-${String(index).padStart(4, "0")}`,
  );
  const { output, data } = await glob(workspace(...paths), "*");
  const shown = contentText(output).split("\n");
  expect(contentText(output).length).toBeLessThan(30_200);
  expect(shown[0]).toBe("/code/file-0000");
  expect(shown.at(-1)).toBe(
    `… and ${(3000 - shown.length + 1).toLocaleString("en")} more files; narrow the pattern to see them.`,
  );
  expect(data).toEqual({ files: 3000 });
});

it("enters only directories that can contain a match", async () => {
  const context = workspace("src/a/x.ts", "docs/a/b/c.md", "test/y.ts");
  const listed: string[] = [];
  const { fs } = context.platform;
  const readdir = fs.readdir.bind(fs);
  fs.readdir = async (path) => {
    listed.push(path);
    return readdir(path);
  };
  await glob(context, "{src,test}/*.ts");
  expect(listed).toEqual(["/code", "/code/src", "/code/test"]);
});

it("stops on abort", async () => {
  const fs = new MemoryFileSystem();
  await fs.mkdir("/code");
  const controller = new AbortController();
  controller.abort();
  const context = toolContext(memoryPlatform({ fs }), { signal: controller.signal });
  await expect(glob(context, "**")).rejects.toMatchObject({ name: "AbortError" });
});

it("escapes names that would disturb the list", async () => {
  const context = workspace("a\n/etc/passwd", "b\u001b[2J\u009bc", "c\u202ed", "e f");
  expect((await glob(context, "**")).output).toBe(
    String.raw`/code/a\u{a}/etc/passwd
/code/b\u{1b}[2J\u{9b}c
/code/c\u{202e}d
/code/e f`,
  );
});
