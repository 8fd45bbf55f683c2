import { expect, it } from "vitest";
import type { FileSystem } from "../../ports/file-system.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import { readTool } from "./read.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

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

it("shows the first 2000 lines and how to continue", async () => {
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

it("truncates long lines, and limits the length of a result", async () => {
  const context = workspace({ "/code/a.txt": `${"x".repeat(5000)}\n`.repeat(100) });
  const { output } = await read(context, { filePath: "a.txt" });
  expect(output).toContain(`     1\t${"x".repeat(2000)} [… 3,000 more bytes]\n`);
  expect(output.length).toBeLessThan(101_000);
  expect(output).toMatch(/\(Lines 1 to 49 of 100\. Go on with offset 50\.\)$/);
});

it("hides encoding details: carriage returns, byte order marks, UTF-16", async () => {
  const utf16 = Uint8Array.from([0xff, 0xfe, 0xe9, 0, 13, 0, 10, 0, 0x62, 0]);
  const context = workspace({ "/code/crlf": "\ufeffa\r\nb\r\n", "/code/utf16": utf16 });
  expect((await read(context, { filePath: "crlf" })).output).toBe("     1\ta\n     2\tb");
  expect((await read(context, { filePath: "utf16" })).output).toBe("     1\té\n     2\tb");
});

it("reports empty, binary and partly invalid files", async () => {
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

it("suggests similar names for a missing file", async () => {
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

it("reads a part of a large file without decoding all of it", async () => {
  const large = new Uint8Array(40_000_000).fill(120);
  for (let at = 99; at < large.length; at += 100) large[at] = 10;
  const context = workspace({ "/code/large": large });
  await expectWithin(4000, async () => {
    const { output } = await read(context, { filePath: "large", offset: 399_999, limit: 1 });
    expect(output).toMatch(/^399999\tx{99}\n\n\(Lines 399,999 to 399,999 of 400,000\./);
  });
});

it("truncates a line of multi-byte characters between characters", async () => {
  const context = workspace({ "/code/a": "€".repeat(3000), "/code/b": "x😀".repeat(1000) });
  expect((await read(context, { filePath: "a" })).output).toBe(
    `     1\t${"€".repeat(2000)} [… 3,000 more bytes]`,
  );
  expect((await read(context, { filePath: "b" })).output).toBe(
    `     1\t${"x😀".repeat(666)}x [… 1,669 more bytes]`,
  );
});

it("refuses files that exceed the memory when files can't be opened in pieces", async () => {
  const memory = new MemoryFileSystem({ files: { "/code/a": "x" } });
  const fs = new Proxy<FileSystem>(memory, {
    get(target, name: keyof FileSystem) {
      if (name === "open") return undefined;
      if (name !== "stat") return target[name]?.bind(target);
      return async (path: string) => ({ ...(await target.stat(path)), size: 2_000_000_000 });
    },
  });
  const context = toolContext(memoryPlatform({ fs }));
  expect(await read(context, { filePath: "a" })).toMatchObject({ errorCode: "too_large" });
});

/** A file of so many lines of 100 bytes, made up as it is read. */
function endless(context: TestToolContext, lines: number): { largest: number; bytes: number } {
  const { fs } = context.platform;
  const asked = { largest: 0, bytes: 0 };
  const size = lines * 100;
  let isOpen = true;
  fs.open = async (path) => {
    isOpen = true;
    return {
      path,
      size,
      async read(offset, length) {
        if (!isOpen) throw new Error("read after the end");
        const piece = new Uint8Array(Math.max(0, Math.min(length, size - offset))).fill(120);
        asked.largest = Math.max(asked.largest, piece.length);
        asked.bytes += piece.length;
        for (let at = 99 - (offset % 100); at < piece.length; at += 100) piece[at] = 10;
        return piece;
      },
      async [Symbol.asyncDispose]() {
        isOpen = false;
      },
    };
  };
  return asked;
}

it("reads a gigabyte in pieces, and only the needed ones", async () => {
  const context = workspace({});
  const asked = endless(context, 10_000_000);
  const start = await read(context, { filePath: "huge", limit: 2 });
  expect(start.output).toBe(
    `     1\t${"x".repeat(99)}\n     2\t${"x".repeat(99)}\n\n(Lines 1 to 2 of a file of 1,000,000,000 bytes. Go on with offset 3, or find the place with Bash.)`,
  );
  expect(asked.bytes).toBeLessThan(5_000_000);
  const later = await read(context, { filePath: "huge", offset: 600_000, limit: 1 });
  expect(later).toMatchObject({ success: true, startLine: 600_000 });
  expect(asked.largest).toBeLessThanOrEqual(1_000_000);
});

it("finds the end of a huge file", async () => {
  const context = workspace({});
  endless(context, 600_000);
  const end = await read(context, { filePath: "huge", offset: 599_999 });
  expect(end.output).toBe(`599999\t${"x".repeat(99)}\n600000\t${"x".repeat(99)}`);
  expect(await read(context, { filePath: "huge", offset: 600_001 })).toMatchObject({
    errorCode: "out_of_range",
    error: "/code/huge has only 600,000 lines.",
  });
});

it("stops reading a huge file on abort", async () => {
  const controller = new AbortController();
  const context = { ...workspace({}), signal: controller.signal };
  endless(context, 10_000_000);
  setTimeout(() => controller.abort(), 20);
  const reading = readTool.execute({ filePath: "huge", offset: 10_000_000 }, context);
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});

it("shows PDF documents as documents, and no document or image over the models' limits", async () => {
  const context = workspace({
    "/code/a.bin": "%PDF-1.7\n…",
    "/code/large.pdf": "%PDF-1.7\n".padEnd(10_000_001),
    "/code/large.png": Uint8Array.from(
      { length: 4_000_000 },
      (_, at) => [0x89, 80, 78, 71][at] ?? 0,
    ),
    "/code/not.png": "no image",
  });
  expect(await read(context, { filePath: "a.bin" })).toEqual({
    success: true,
    output: [
      { type: "text", text: "/code/a.bin (application/pdf, 12 bytes)" },
      { type: "file", mediaType: "application/pdf", data: "JVBERi0xLjcK4oCm", name: "a.bin" },
    ],
    data: { path: "/code/a.bin", bytes: 12, mediaType: "application/pdf" },
  });
  expect(await read(context, { filePath: "large.pdf" })).toMatchObject({
    errorCode: "too_large",
    error: "/code/large.pdf is a PDF document of 10,000,001 bytes, too large to show.",
  });
  expect(await read(context, { filePath: "large.png" })).toMatchObject({ errorCode: "too_large" });
  expect((await read(context, { filePath: "not.png" })).output).toBe("     1\tno image");
});

it("names the encoding of an undecodable text", async () => {
  const utf16 = Uint8Array.from("h\0e\0l\0l\0o\0", (char) => char.charCodeAt(0));
  expect(await read(workspace({ "/code/a": utf16 }), { filePath: "a" })).toMatchObject({
    errorCode: "binary",
    error: "/code/a seems to be a text in UTF-16LE.",
    output: expect.stringContaining("iconv -f UTF-16LE -t UTF-8"),
  });
});

it("shows no lone surrogate", async () => {
  const lone = Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0x62, 0]);
  const { output } = await read(workspace({ "/code/a": lone }), { filePath: "a" });
  expect(output).toBe(
    "     1\ta\ufffdb\n\n(Bytes that are not UTF-16 are shown as \ufffd; Edit can't change this file.)",
  );
});

it("refuses files that the session's rules deny, through any link", async () => {
  const context = workspace({ "/code/.env": "KEY=1", "/code/a": "a" });
  await context.platform.fs.symlink(".env", "/code/link");
  context.rules = {
    refusesFile: (path, kind) =>
      kind === "read" && path.endsWith(".env") ? "Files called .env are off limits." : undefined,
    refusesCommand: () => undefined,
  };
  for (const filePath of [".env", "link", "../code/.env"]) {
    expect(await read(context, { filePath })).toMatchObject({
      success: false,
      errorCode: "permission_denied",
      output: expect.not.stringContaining("KEY"),
    });
  }
  expect(await read(context, { filePath: "a" })).toMatchObject({ success: true });
});

it("does not split a path that only looks like a page range", async () => {
  const context = workspace({
    "/code/..%2fa": "encoded",
    "/code/~/a": "home",
    "/code/C:x": "drive",
  });
  for (const [filePath, text] of [
    ["..%2fa", "encoded"],
    ["~/a", "home"],
    ["C:x", "drive"],
  ] as const) {
    expect((await read(context, { filePath })).output).toBe(`     1\t${text}`);
  }
  expect(await read(context, { filePath: "a\0b" })).toMatchObject({ success: false });
});
