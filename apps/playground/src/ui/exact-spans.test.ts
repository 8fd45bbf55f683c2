import { describe, expect, it } from "vitest";
import { exactSpans } from "./exact-spans.ts";

const shown = (text: string): string =>
  exactSpans(text)
    .map((span) => (span.isMark ? `<${span.text}>` : span.text))
    .join("");

describe("a text shown for approval", () => {
  it.each([
    [
      "an escape sequence",
      "ls \u001b]; touch x; :\u0007",
      String.raw`ls <\u{1b}>]; touch x; :<\u{7}>`,
    ],
    ["a carriage return", "rm -rf x\recho ok", String.raw`rm -rf x<\u{d}>echo ok`],
    ["a right-to-left mark", "a\u202eb", String.raw`a<\u{202e}>b`],
    ["nothing wide", "a\u200bb", String.raw`a<\u{200b}>b`],
    ["a space that is none", "a\u00a0b", String.raw`a<\u{a0}>b`],
    ["dim text", "a \u001b[2mb", String.raw`a <\u{1b}>[2mb`],
    ["spaces that push the rest away", `a${" ".repeat(3000)}b`, "a<[3000 spaces]>b"],
    ["tabs that do", `a${"\t".repeat(400)}b`, "a<[400 tabs]>b"],
    ["lines and tabs", "if x\n\ty\n", "if x\n\ty\n"],
    ["nothing", "", ""],
  ])("shows %s", (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});
