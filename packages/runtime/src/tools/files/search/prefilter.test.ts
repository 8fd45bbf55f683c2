import fc from "fast-check";
import { expect, it } from "vitest";
import { compileLinePattern } from "./line-pattern.ts";
import { siftMany } from "./prefilter.ts";
import { encodeText, lossyText } from "../text-file.ts";

const encoder = new TextEncoder();
const utf16 = (text: string): Uint8Array => encodeText(text, { encoding: "utf-16le", bom: true });
const piece = fc.constantFrom(
  "nee",
  "dle",
  "needle",
  "NEEDLE",
  "\n",
  "x",
  "ä",
  "K",
  "\u212a",
  "👋",
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const content = fc.oneof(
  text.map((each) => encoder.encode(each)),
  text.map(utf16),
  // Cut in the middle of a sign, and far too long for a batch.
  text.map((each) => encoder.encode(`${each}ä`).slice(0, -1)),
  text.map((each) => encoder.encode("y".repeat(150_000) + each)),
  fc.uint8Array({ maxLength: 20 }),
  fc.constant(undefined),
);

it.each([
  ["needle", false],
  ["needle", true],
  ["leek", true],
  ["need[l]e|nope", false],
  ["need[k]", true],
  ["ne+dle", false],
])("keeps every file that may match %s (ignoring case: %s)", async (pattern, ignoreCase) => {
  const { find, mayMatch } = await compileLinePattern(pattern, { ignoreCase });
  if (!find) return;
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 12 }), async (contents) => {
      const found = await siftMany(contents, find, () => undefined);
      for (const [index, bytes] of contents.entries())
        if (bytes && mayMatch(lossyText(bytes))) expect(found[index]).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it("drops files without a match, on both sides of a batch's end", async () => {
  const { find } = await compileLinePattern("needle");
  const contents = Array.from({ length: 300 }, (_, index) =>
    encoder.encode(`${"x".repeat(1000)}${index % 7 === 0 ? "needle" : "need"}\nle`),
  );
  const found = await siftMany(contents, find ?? (() => -1), () => undefined);
  expect(found).toEqual(contents.map((_, index) => index % 7 === 0));
});
