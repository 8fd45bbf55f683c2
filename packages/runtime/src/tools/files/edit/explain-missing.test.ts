import { expect, it } from "vitest";
import { explainMissing } from "./explain-missing.ts";
import { expectRatio, expectWithin } from "../../../../../../test/support/time/own-time.ts";

const source = [
  "function add(a, b) {",
  "\tconst sum = a + b;",
  "\treturn sum; // “the sum”",
  "}",
  "",
  "function Other() {}",
  'const quoted = "say \\"hi\\"\\n";',
].join("\n");

it.each([
  [
    "  const sum = a + b;",
    "Line 2 differs in white space: it is indented by 1 tab, oldString by 2 spaces.",
  ],
  [
    "function add(a, b) {\n\tconst sum = a + b; \n\treturn",
    "it ends with nothing, oldString with 1 space",
  ],
  ["\tconst  sum = a + b;", 'it is "\\tconst sum = a + b;"'],
  ['\treturn sum; // "the sum"', 'it has “ (U+201C) where oldString has " (U+0022)'],
  ["function other() {}", "Line 6 differs in upper and lower case."],
  [
    "function add(a, b) {\n\tconst sum = a - b;\n}",
    "Line 2 differs; oldString has: \tconst sum = a - b;",
  ],
  ['const quoted = "say \\\\"hi\\\\"\\\\n";', "It is there when the escapes"],
  ['const quoted = "say "hi"\\n";', "Line 7 differs in backslashes"],
  [
    "const quoted = 'say \\\"hi\\\"\\n';",
    "Line 7 differs in quotes: it has \" (U+0022) where oldString has '",
  ],
  [`${'const quoted = "say \\"hi\\"\\n";'}\nmore`, "The file ends before oldString does."],
  ["\tconst total = a + b;", "Nearest is line 2:"],
])("explains why %j is not found", (wanted, explanation) => {
  expect(explainMissing(source, wanted)).toContain(explanation);
});

it("shows the nearest lines with their numbers", () => {
  expect(explainMissing(source, "    const sum = a + b;\n    return sum;")).toContain(
    "Nearest are lines 2 to 3:\n2\t\tconst sum = a + b;\n3\t\treturn sum; // “the sum”\n",
  );
});

it("recognizes the line numbers of Read", () => {
  expect(explainMissing(source, "     1\tfunction add(a, b) {")).toContain("line numbers");
});

it("recognizes a text that was escaped twice", () => {
  expect(explainMissing(source, "function add(a, b) {\\n\\tconst sum = a + b;")).toContain(
    "It is there when the escapes",
  );
});

it("is not misled by ubiquitous lines", () => {
  const text = "class A {\n}\n\nfunction compute(value) {\n\treturn value;\n}\n";
  expect(explainMissing(text, "function compute(values) {\n\treturn values;\n}")).toContain(
    "Nearest are lines 4 to 6:",
  );
});

it("does not show unrelated lines", () => {
  expect(explainMissing(source, "zzz qqq xxx")).toBe(
    "Nothing in the file is like it. Read the file again.",
  );
  expect(explainMissing("", "x")).toContain("Nothing in the file");
});

it("is fast and short for large files", async () => {
  const large = Array.from({ length: 50_000 }, (_, line) => `  value${line} = ${line};`).join("\n");
  await expectWithin(4000, () => {
    expect(explainMissing(large, "  value4825 == 4825;")).toContain("4826\t");
    expect(explainMissing(large, `${large}x`).length).toBeLessThan(4000);
  });
});

it("takes no longer for a minified text than for a short one", async () => {
  const file = Array.from({ length: 4000 }, (_, line) => `  const value${line} = ${line};`).join(
    "\n",
  );
  // Any two of its letters are another pair.
  const minified = Array.from({ length: 20_000 }, (_, index) =>
    String.fromCodePoint(0x4e_00 + (index % 100), 0x4e_00 + Math.floor(index / 100)),
  ).join("");
  const nothing = (wanted: string) => async (): Promise<void> =>
    expect(explainMissing(file, wanted)).toContain("Nothing in the file");
  await expectRatio(6, nothing(minified), nothing("q".repeat(40)));
});
