import { expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

function workspace(files: Record<string, string | Uint8Array> = {}): TestToolContext {
  return toolContext(memoryPlatform({ files }));
}

async function write(context: TestToolContext, filePath: string, content: string) {
  return (await writeTool.execute({ filePath, content }, context)) as ToolResult;
}

async function bytesOf({ platform }: TestToolContext, path: string): Promise<Uint8Array> {
  return platform.fs.readFile(path);
}

async function textOf(context: TestToolContext, path: string): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await bytesOf(context, path));
}

it("creates a file and its directories", async () => {
  const context = workspace();
  expect(await write(context, "src/new/a.ts", "one\ntwo\n")).toEqual({
    success: true,
    output: "Created /code/src/new/a.ts (2 lines).",
    changes: [{ path: "/code/src/new/a.ts", before: null, after: "one\ntwo\n" }],
    startLine: 1,
  });
  expect(await textOf(context, "/code/src/new/a.ts")).toBe("one\ntwo\n");
});

it("replaces a file that was read and shows the change", async () => {
  const context = workspace({ "/code/a": "one\ntwo\n" });
  await readTool.execute({ filePath: "a" }, context);
  expect(await write(context, "a", "one\n2\n")).toMatchObject({
    success: true,
    output: "Wrote /code/a.\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    changes: [{ path: "/code/a", before: "one\ntwo\n", after: "one\n2\n" }],
    startLine: 2,
  });
  expect(await write(context, "a", "again\n")).toMatchObject({ success: true });
});

it("refuses to replace a file whose present content the model has not read", async () => {
  const context = workspace({ "/code/a": "one" });
  expect(await write(context, "a", "two")).toMatchObject({ success: false, errorCode: "not_read" });
  await readTool.execute({ filePath: "a" }, context);
  await context.platform.fs.writeFile("/code/a", "somebody else's work");
  expect(await write(context, "a", "two")).toMatchObject({ success: false, errorCode: "stale" });
  expect(await textOf(context, "/code/a")).toBe("somebody else's work");
});

it("may fill an empty file that was never read", async () => {
  const context = workspace({ "/code/a": "" });
  expect(await write(context, "a", "two")).toMatchObject({ success: true });
});

it("keeps line endings, byte order mark and encoding of the replaced file", async () => {
  const utf16 = Uint8Array.from([0xfe, 0xff, 0, 0x61, 0, 13, 0, 10]);
  const context = workspace({ "/code/crlf": "\ufeffa\r\nb\r\n", "/code/utf16": utf16 });
  for (const filePath of ["crlf", "utf16"]) await readTool.execute({ filePath }, context);
  await write(context, "crlf", "a\nc\n");
  expect(await textOf(context, "/code/crlf")).toBe("\ufeffa\r\nc\r\n");
  await write(context, "utf16", "b\n");
  expect([...(await bytesOf(context, "/code/utf16"))]).toEqual([0xfe, 0xff, 0, 0x62, 0, 13, 0, 10]);
});

it("refuses binary files", async () => {
  const context = workspace({ "/code/a": new Uint8Array([1, 0, 2]) });
  expect(await write(context, "a", "two")).toMatchObject({ errorCode: "binary" });
});

it("writes no lone surrogate and reports the replacement", async () => {
  const context = workspace();
  const { changes } = await write(context, "a", "x\ud83d");
  expect(changes).toEqual([{ path: "/code/a", before: null, after: "x\ufffd" }]);
  expect(await textOf(context, "/code/a")).toBe("x\ufffd");
});

it("previews exactly the change that it makes, and makes it only afterwards", async () => {
  const context = workspace({ "/code/a": "one\r\n" });
  await readTool.execute({ filePath: "a" }, context);
  const args = { filePath: "a", content: "two\n" };
  const preview = await writeTool.preview?.(args, context);
  expect(await textOf(context, "/code/a")).toBe("one\r\n");
  const { changes } = await write(context, args.filePath, args.content);
  expect(preview?.changes).toEqual(changes);
  expect(changes?.[0]?.after).toBe("two\r\n");
});

it("explains in the preview why the call can't succeed", async () => {
  const context = workspace({ "/code/a": "one", "/code/d/x": "" });
  const preview = (filePath: string) => writeTool.preview?.({ filePath, content: "" }, context);
  expect(await preview("a")).toEqual({ note: expect.stringContaining("has not been read") });
  expect(await preview("d")).toEqual({ note: expect.stringContaining("is a directory") });
});

it("reports an obstacle on the path", async () => {
  const context = workspace({ "/code/a": "one" });
  expect(await write(context, "a/b", "")).toMatchObject({ success: false, errorCode: "ENOTDIR" });
  expect(await write(context, "/code", "")).toMatchObject({ success: false, errorCode: "EISDIR" });
});

it("recognizes a file by any path to it", async () => {
  const context = workspace({ "/code/a": "one" });
  await context.platform.fs.symlink("a", "/code/link");
  await readTool.execute({ filePath: "link" }, context);
  expect(await write(context, "a", "two")).toMatchObject({ success: true });
  expect(await write(context, "link", "three")).toMatchObject({ success: true });
  expect(await textOf(context, "/code/a")).toBe("three");
});
