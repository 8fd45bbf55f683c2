import { expect, it } from "vitest";
import { colorerOf } from "./colorers.ts";

/** The coloured words of a text with what they are, and the pauses that were offered meanwhile. */
async function coloured(language: string, text: string) {
  const work = (await colorerOf(language))!(text);
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = work.next();
    if (!done) continue;
    return { pauses, words: value.map(({ from, to, kind }) => `${kind} ${text.slice(from, to)}`) };
  }
}

it.each([
  ["ts", 'const a: string = "b"; // c', ["keyword const", 'string "b"', "comment // c"]],
  ["JavaScript", "return 12;", ["keyword return", "number 12"]],
  ["tsx", "<a href='b' />", ["name a", "string 'b'"]],
  ["json", '{ "a": true }', ['name "a"', "number true"]],
  ["css", "a { color: #fff } /* b */", ["name a", "comment /* b */"]],
  ["html", '<p id="b">', ["name p", 'string "b"']],
  ["python", "def a(): return 'b'", ["keyword def", "string 'b'"]],
  ["md", "# Title", ["comment #", "name  Title"]],
  [
    "bash",
    'if test -f "$A"; then echo $B # c',
    ["keyword if", "name -f", 'string "$A"', "comment # c"],
  ],
  ["sh", "echo '# no comment' ${C}", ["string '# no comment'", "number ${C}"]],
])("colours %s", async (language, text, expected) => {
  expect((await coloured(language, text)).words).toEqual(expect.arrayContaining(expected));
});

it("knows no way to colour other languages, whatever they are called", async () => {
  for (const name of ["", "text", "cobol", "constructor", "__proto__"])
    expect(await colorerOf(name)).toBeUndefined();
});

it("offers many pauses in a long text, and ends on an unclosed quote of any length", async () => {
  const lines = 'const a = "b";\n'.repeat(2_000);
  expect((await coloured("ts", lines)).pauses).toBeGreaterThan(100);
  expect((await coloured("sh", 'echo "a" -b\n'.repeat(1_000))).pauses).toBeGreaterThan(5);
  expect((await coloured("sh", `echo "${"\\a".repeat(30_000)}`)).words).toEqual([]);
});
