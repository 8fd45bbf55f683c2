import { expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../test-context.ts";
import { readTool } from "./read.ts";

type Args = Parameters<typeof readTool.execute>[0];

function workspace(files: Record<string, string | Uint8Array>): TestToolContext {
  return toolContext(memoryPlatform({ files }));
}

async function read(context: TestToolContext, args: Args) {
  const result = await readTool.execute(args, context);
  if (typeof result === "string") throw new Error("a full result is expected");
  return result;
}

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

it("shows lines with their numbers", async () => {
  const context = workspace({ "/code/a.txt": "one\n\nthree" });
  expect(await read(context, { filePath: "a.txt" })).toEqual({
    success: true,
    output: "     1\tone\n     2\t\n     3\tthree",
    startLine: 1,
    data: { path: "/code/a.txt", lines: 3 },
  });
});

it("shows the first 2000 lines and says how to go on", async () => {
  const context = workspace({ "/code/a.txt": lines(2500) });
  const first = await read(context, { filePath: "/code/a.txt" });
  expect(first.output).toContain("\n  2000\tline 2000\n\n(Lines 1 to 2,000 of 2,500.");
  expect(first.output).toContain("offset 2001");
  expect(first.output).not.toContain("line 2001");

  const rest = await read(context, { filePath: "/code/a.txt", offset: 2001 });
  expect(rest.output).toMatch(/^ {2}2001\tline 2001\n[^(]* {2}2500\tline 2500$/);
  expect(rest.startLine).toBe(2001);
});

it("shows a range", async () => {
  const context = workspace({ "/code/a.txt": lines(10) });
  const { output } = await read(context, { filePath: "a.txt", offset: 4, limit: 2 });
  expect(output).toBe(
    "     4\tline 4\n     5\tline 5\n\n(Lines 4 to 5 of 10. Go on with offset 6.)",
  );
  expect(await read(context, { filePath: "a.txt", offset: 11 })).toMatchObject({
    success: false,
    errorCode: "out_of_range",
    error: "/code/a.txt has only 10 lines.",
  });
});

it("cuts long lines, and stops before an answer gets too long", async () => {
  const context = workspace({ "/code/a.txt": `${"x".repeat(5000)}\n`.repeat(100) });
  const { output } = await read(context, { filePath: "a.txt" });
  expect(output).toContain(`     1\t${"x".repeat(2000)} [… 3,000 more bytes]\n`);
  expect(output.length).toBeLessThan(101_000);
  expect(output).toMatch(/\(Lines 1 to 49 of 100\. Go on with offset 50\.\)$/);
});

it("hides what belongs to the file's form: carriage returns, byte order marks, UTF-16", async () => {
  const utf16 = Uint8Array.from([0xff, 0xfe, 0xe9, 0, 13, 0, 10, 0, 0x62, 0]);
  const context = workspace({ "/code/crlf": "\ufeffa\r\nb\r\n", "/code/utf16": utf16 });
  expect((await read(context, { filePath: "crlf" })).output).toBe("     1\ta\n     2\tb");
  expect((await read(context, { filePath: "utf16" })).output).toBe("     1\té\n     2\tb");
});

it("says that a file is empty, binary, or not quite text", async () => {
  const context = workspace({
    "/code/empty": "",
    "/code/mark": "\ufeff",
    "/code/binary": new Uint8Array([1, 0, 2]),
    "/code/latin1": new Uint8Array([0x63, 0xe9, 0x0a]),
  });
  expect((await read(context, { filePath: "empty" })).output).toBe("(/code/empty is empty.)");
  expect((await read(context, { filePath: "mark" })).output).toBe("(/code/mark is empty.)");
  expect(await read(context, { filePath: "binary" })).toMatchObject({
    success: false,
    errorCode: "binary",
    error: "/code/binary is a binary file of 3 bytes.",
  });
  expect((await read(context, { filePath: "latin1" })).output).toMatch(/c\ufffd\n\n\(Bytes that/);
});

it("shows images as images", async () => {
  const png = Uint8Array.from("\x89PNG\r\n\x1a\n\0\0", (char) => char.charCodeAt(0));
  const context = workspace({ "/code/a.dat": png });
  expect((await read(context, { filePath: "a.dat" })).output).toEqual([
    { type: "text", text: "/code/a.dat (image/png, 10 bytes)" },
    { type: "image", mediaType: "image/png", data: "iVBORw0KGgoAAA==" },
  ]);
});

it("helps when there is no such file", async () => {
  const context = workspace({ "/code/src/index.ts": "", "/code/src/lib/a.ts": "" });
  expect(await read(context, { filePath: "src/index.tsx" })).toMatchObject({
    success: false,
    errorCode: "ENOENT",
    error: "/code/src/index.tsx does not exist.",
    output: expect.stringContaining("Did you mean /code/src/index.ts?"),
  });
  expect(await read(context, { filePath: "src" })).toMatchObject({
    success: false,
    errorCode: "EISDIR",
    output: expect.stringContaining("It holds index.ts, lib/."),
  });
});

it("reads a part of a large file without making text of all of it", async () => {
  const large = new Uint8Array(40_000_000).fill(120);
  for (let at = 99; at < large.length; at += 100) large[at] = 10;
  const context = workspace({ "/code/large": large });
  const started = performance.now();
  const { output } = await read(context, { filePath: "large", offset: 399_999, limit: 1 });
  expect(output).toMatch(/^399999\tx{99}\n\n\(Lines 399,999 to 399,999 of 400,000\./);
  expect(performance.now() - started).toBeLessThan(4000);
});

it("cuts a line of many bytes per character where it should", async () => {
  const context = workspace({ "/code/a": "€".repeat(3000), "/code/b": "x😀".repeat(1000) });
  expect((await read(context, { filePath: "a" })).output).toBe(
    `     1\t${"€".repeat(2000)} [… 3,000 more bytes]`,
  );
  expect((await read(context, { filePath: "b" })).output).toBe(
    `     1\t${"x😀".repeat(666)}x [… 1,669 more bytes]`,
  );
});

it("refuses what would not fit into memory", async () => {
  const context = workspace({ "/code/a": "x" });
  const { fs } = context.platform;
  const stat = fs.stat.bind(fs);
  fs.stat = async (path) => ({ ...(await stat(path)), size: 2_000_000_000 });
  expect(await read(context, { filePath: "a" })).toMatchObject({ errorCode: "too_large" });
});
