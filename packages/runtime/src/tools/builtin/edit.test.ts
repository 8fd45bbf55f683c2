import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";

/** A workspace whose one file, /code/a, the model has read. */
async function reading(content: string | Uint8Array): Promise<TestToolContext> {
  const context = toolContext(memoryPlatform({ files: { "/code/a": content } }));
  await readTool.execute({ filePath: "a" }, context);
  return context;
}

async function edit(
  context: TestToolContext,
  oldString: string,
  newString: string,
  options: { replaceAll?: boolean } = {},
): Promise<ToolResult> {
  const args = { filePath: "a", oldString, newString, ...options };
  return (await editTool.execute(args, context)) as ToolResult;
}

async function content({ platform }: TestToolContext): Promise<string> {
  const bytes = await platform.fs.readFile("/code/a");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

it("replaces text and shows the change", async () => {
  const context = await reading("one\ntwo\nthree\n");
  expect(await edit(context, "two", "2")).toEqual({
    success: true,
    output: "Edited /code/a (1 replacement).\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
    changes: [{ path: "/code/a", before: "one\ntwo\nthree\n", after: "one\n2\nthree\n" }],
    startLine: 2,
    data: { path: "/code/a", replacements: 1 },
  });
  expect(await content(context)).toBe("one\n2\nthree\n");
});

it("inserts the new text literally, with any special characters", async () => {
  const context = await reading("price: X");
  await edit(context, "X", "$& $1 $$ \\n");
  expect(await content(context)).toBe("price: $& $1 $$ \\n");
});

it("requires a unique match unless replaceAll is set", async () => {
  const context = await reading("a\nb a\nc\na");
  expect(await edit(context, "a", "x")).toMatchObject({
    success: false,
    errorCode: "several_matches",
    error: "oldString is in /code/a 3 times, at lines 1, 2, 4.",
  });
  expect(await content(context)).toBe("a\nb a\nc\na");
  expect(await edit(context, "a", "x", { replaceAll: true })).toMatchObject({
    output: expect.stringContaining("(3 replacements)"),
  });
  expect(await content(context)).toBe("x\nb x\nc\nx");
});

it("shows the nearest lines when the text is not found", async () => {
  const context = await reading("function a() {\n\treturn 1;\n}\n");
  const result = await edit(context, "  return 1;", "  return 2;");
  expect(result).toMatchObject({ success: false, errorCode: "no_match" });
  expect(result.output).toContain("2\t\treturn 1;");
  expect(result.output).toContain("indented by 1 tab, oldString by 2 spaces");
});

it("keeps line endings and byte order mark", async () => {
  const context = await reading("\ufeffone\r\ntwo\r\nthree\r\n");
  await edit(context, "one\ntwo", "1\n2\n2.5");
  expect(await content(context)).toBe("\ufeff1\r\n2\r\n2.5\r\nthree\r\n");
});

it("keeps the endings of the replaced lines in a mixed file", async () => {
  const context = await reading("a\r\nb\nc\nd\r\n");
  await edit(context, "b\nc", "x\ny\nz");
  expect(await content(context)).toBe("a\r\nx\ny\nz\nd\r\n");
  await edit(context, "a\nx", "1\n2");
  expect(await content(context)).toBe("1\r\n2\ny\nz\nd\r\n");
});

it("keeps UTF-16", async () => {
  const context = await reading(Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x62, 0]));
  await edit(context, "b", "é");
  expect([...(await context.platform.fs.readFile("/code/a"))]).toEqual([
    0xff, 0xfe, 0x61, 0, 0xe9, 0,
  ]);
});

it("changes only files whose present content the model has read", async () => {
  const context = toolContext(memoryPlatform({ files: { "/code/a": "one" } }));
  expect(await edit(context, "one", "two")).toMatchObject({ errorCode: "not_read" });
  await readTool.execute({ filePath: "a" }, context);
  await context.platform.fs.writeFile("/code/a", "one more");
  expect(await edit(context, "one", "two")).toMatchObject({ errorCode: "stale" });
  expect(await content(context)).toBe("one more");
});

it("refuses files that it can't decode", async () => {
  const context = await reading(new Uint8Array([0x61, 0xe9]));
  expect(await edit(context, "a", "b")).toMatchObject({ success: false, errorCode: "binary" });
});

it("refuses edits without effect", async () => {
  const context = await reading("one");
  expect(await edit(context, "", "x")).toMatchObject({ errorCode: "invalid_arguments" });
  expect(await edit(context, "one", "one")).toMatchObject({ errorCode: "no_change" });
  const lines = await reading("one\r\ntwo");
  expect(await edit(lines, "one\ntwo", "one\r\ntwo")).toMatchObject({ errorCode: "no_change" });
});

it("makes the edits of a batch one after the other", async () => {
  const context = await reading("a b c d");
  const results = await Promise.all(
    ["a", "b", "c", "d"].map((old) => edit(context, old, old + old)),
  );
  expect(results.every(({ success }) => success)).toBe(true);
  expect(await content(context)).toBe("aa bb cc dd");
});

it("previews exactly the change that it makes", async () => {
  const context = await reading("one\r\ntwo\r\n");
  const args = { filePath: "a", oldString: "one\ntwo", newString: "1\n2" };
  const preview = await editTool.preview?.(args, context);
  expect(await content(context)).toBe("one\r\ntwo\r\n");
  const { changes } = await edit(context, args.oldString, args.newString);
  expect(preview).toEqual({ changes });
  expect(await editTool.preview?.(args, context)).toEqual({
    note: "The call will fail: oldString is not in /code/a.",
  });
});

it("equals a replacement in the text with plain line feeds, and changes nothing else", async () => {
  const text = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "$", "😀"), minLength, maxLength });
  await fc.assert(
    fc.asyncProperty(
      text(1, 40),
      text(1, 3),
      text(0, 5),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.boolean(),
      async (plain, oldString, newString, ending, mark, replaceAll) => {
        const stored = (lines: string) =>
          (mark ? "\ufeff" : "") + lines.replaceAll("\n", plain.includes("\n") ? ending : "\n");
        const context = await reading(stored(plain));
        const result = await edit(context, oldString, newString, { replaceAll });
        const places = plain.split(oldString).length - 1;
        const expected = plain.split(oldString).join(newString);
        if (result.success) {
          expect(places).toBeGreaterThan(0);
          expect(places === 1 || replaceAll).toBe(true);
          expect(await content(context)).toBe(stored(expected));
        } else {
          const reason =
            places === 0 ? "no_match" : oldString === newString ? "no_change" : "several_matches";
          expect([reason, "no_change"]).toContain(result.errorCode);
          if (result.errorCode === "no_change") expect(expected).toBe(plain);
          expect(await content(context)).toBe(stored(plain));
        }
      },
    ),
    { numRuns: 500 },
  );
});
