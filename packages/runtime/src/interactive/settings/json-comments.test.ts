import { describe, expect, it } from "vitest";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";
import { withoutComments } from "./json-comments.ts";

function read(text: string): unknown {
  return JSON.parse(withoutComments(text));
}

describe("JSON with comments", () => {
  it.each([
    ['{"a": 1, // one\n"b": [2, /* two */ 3,],}', { a: 1, b: [2, 3] }],
    ['{"a": "// no, /* comment */,]", /* a "string" */ }', { a: "// no, /* comment */,]" }],
    ['{"a": "\\"//", // "quoted\n}', { a: '"//' }],
    ["{/**/}", {}],
  ])("%j is %j", (text, value) => {
    expect(read(text)).toEqual(value);
    expect(withoutComments(text)).toHaveLength(text.length);
  });

  it.each(['{"a": 1} /* open', '{"a": 1} /*/', '{"a": 1,, }', '{"a": "open // ,}'])(
    "%j stays what JSON can't be",
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );

  it.each([
    ["a line of slashes behind a comma", `{"a": 1,\n${"/".repeat(40)}\n"b": 2}`],
    ["commas before comments that do not end", ",/*".repeat(64_000)],
    ["commas before blanks", `{"a": "/"${",   ".repeat(20_000)}`],
  ])("takes no time for %s", (_, text) => expectWithin(100, () => withoutComments(text)));
});
