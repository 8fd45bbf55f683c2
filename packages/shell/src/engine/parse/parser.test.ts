import { describe, expect, it } from "vitest";
import { groups } from "../../../../../test/conformance/groups.ts";
import type { List } from "../syntax/tree.ts";
import { createParser } from "./parser.ts";
import { ShellSyntaxError } from "./syntax-error.ts";

function parse(source: string, options?: Parameters<typeof createParser>[1]): List[] {
  const parser = createParser(source, options);
  const lines: List[] = [];
  for (let line = parser.next(); line; line = parser.next()) lines.push(line);
  return lines;
}

function errorOf(source: string): ShellSyntaxError | undefined {
  try {
    parse(source);
    return undefined;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error;
    throw error;
  }
}

/** The first command of the first line. */
function first(source: string): unknown {
  return parse(source)[0]?.items[0]?.first.commands[0];
}

const text = (content: string, isQuoted = false): object => ({
  type: "text",
  text: content,
  isQuoted,
});

describe("createParser", () => {
  it("keeps quotes, expansions and positions in words", () => {
    expect(first("  echo a'b c'\"$x y\" \\z")).toMatchObject({
      type: "simple",
      at: 2,
      line: 1,
      words: [
        { at: 2, parts: [text("echo")] },
        {
          at: 7,
          parts: [
            text("a"),
            text("b c", true),
            { type: "double-quoted", parts: [{ name: "x" }, text(" y", true)] },
          ],
        },
        { parts: [text("z", true)] },
      ],
    });
  });

  it("reads a script line by line, with the line of each command", () => {
    const parser = createParser("echo a\n\n# note\necho b; echo c &\n)");
    expect(parser.next()?.items).toHaveLength(1);
    const second = parser.next()?.items;
    expect(second?.map(({ isBackground, text: source }) => [source, isBackground])).toEqual([
      ["echo b", false],
      ["echo c", true],
    ]);
    expect(second?.[0]?.first.commands[0]).toMatchObject({ line: 4 });
    expect(() => parser.next()).toThrow("syntax error near unexpected token `)'");
  });

  it("attaches here-documents to their redirections, in order", () => {
    expect(first("cat <<A - <<-'B C' >f\n$x\nA\n\t$y\n\tB C\n")).toMatchObject({
      words: [{}, {}],
      redirections: [
        { operator: "<<", document: { delimiter: "A", isQuoted: false, body: "$x\n" } },
        { operator: "<<-", document: { delimiter: "B C", isQuoted: true, body: "$y\n" } },
        { operator: ">" },
      ],
    });
  });

  it.each([
    ["${x:-a b}", { name: "x", operation: { type: "default", hasColon: true } }],
    ["${#a[@]}", { name: "a", subscript: "@", operation: { type: "length" } }],
    ["${#}", { name: "#", operation: undefined }],
    ["${##}", { name: "#", operation: { type: "length" } }],
    ["${!a[@]}", { name: "a", operation: { type: "keys" } }],
    ["${!a*}", { name: "a", operation: { type: "names" } }],
    ["${!a}", { name: "a", isIndirect: true }],
    ["${a[1]%%b}", { name: "a", operation: { type: "trim", side: "suffix", isLongest: true } }],
    ["${a//b/c}", { name: "a", operation: { type: "replace", place: "all" } }],
    ["${a: -3:2}", { name: "a", operation: { type: "substring" } }],
    ["${a^^[x]}", { name: "a", operation: { type: "case", operator: "^^" } }],
    ["${a@Q}", { name: "a", operation: { type: "transform", letter: "Q" } }],
    ["${a b}", { operation: { type: "bad" } }],
    ["${}", { operation: { type: "bad" } }],
  ])("reads %s", (source, expected) => {
    expect(first(`echo ${source}`)).toMatchObject({ words: [{}, { parts: [expected] }] });
  });

  it.each([
    ["((a + (2)))", "arithmetic"],
    ["((a); (b))", "subshell"],
    ["for ((;;)) do :; done", "arithmetic-for"],
    ["for x in a b; do :; done", "for"],
    ["select x; do :; done", "select"],
    ["until a; do b; done", "while"],
    ["case x in (a|b) ;; *) c ;& d) ;;& esac", "case"],
    ["[[ a == b* && ! ( -f c || $d =~ ^(e|f) ) ]]", "conditional"],
    ["function f { :; }", "function"],
    ["f () (:)", "function"],
    ["coproc NAME { :; }", "coprocess"],
    ["{ a; } 2>&1", "group"],
  ])("reads %s", (source, type) => {
    expect(first(source)).toMatchObject({ type });
  });

  it("knows arithmetic from a subshell in a substitution", () => {
    expect(first("$((1 + 2))")).toMatchObject({ words: [{ parts: [{ type: "arithmetic" }] }] });
    expect(first("$((echo a) | cat)")).toMatchObject({
      words: [{ parts: [{ type: "command", body: { source: "(echo a) | cat" } }] }],
    });
  });

  it("reads assignments of elements and arrays", () => {
    expect(first('a=1 b[$i + 1]+=2 c=(x [k]="y z") cmd d=3')).toMatchObject({
      assignments: [
        { name: "a", isAppended: false },
        { name: "b", subscript: {}, isAppended: true },
        { name: "c", value: { elements: [{}, { subscript: { parts: [text("k")] } }] } },
      ],
      words: [{ parts: [text("cmd")] }, { parts: [text("d=3")] }],
    });
    expect(first("declare -a a=(1 2)")).toMatchObject({ words: [{}, {}, { name: "a" }] });
  });

  it("reads extended patterns where they are on", () => {
    const options = { hasExtendedPatterns: () => true };
    expect(parse("echo !(a|b c).@(d)", options)[0]?.items).toHaveLength(1);
    expect(errorOf("echo !(a)")?.message).toBe("syntax error near unexpected token `('");
  });

  it("replaces aliases where they are in force, each once", () => {
    const aliasOf = (name: string): string | undefined => (name === "ll" ? "ll -l;" : undefined);
    expect(parse("ll a", { aliasOf })[0]?.items.map((item) => item.text)).toEqual(["ll -l", "a"]);
  });
});

describe("syntax errors", () => {
  it.each([
    ["echo )", 1, 6, "syntax error near unexpected token `)'"],
    ["echo a\nif x; fi", 2, 7, "syntax error near unexpected token `fi'"],
    ["for x in a\nb; do", 2, 1, "syntax error near unexpected token `b'"],
    ["a && && b", 1, 6, "syntax error near unexpected token `&&'"],
    ["echo >\n", 1, 7, "syntax error near unexpected token `newline'"],
    ["if true; then\necho", 3, 1, "syntax error: unexpected end of file"],
    ['echo a\necho "b\nc', 2, 6, "unexpected EOF while looking for matching `\"'"],
    ["echo $(a", 1, 7, "unexpected EOF while looking for matching `)'"],
  ])("%j", (source, line, column, message) => {
    expect(errorOf(source)).toMatchObject({ line, column, message });
  });

  it("says whether more text could complete the script", () => {
    expect(errorOf("while a; do")?.isIncomplete).toBe(true);
    expect(errorOf("while do")?.isIncomplete).toBe(false);
  });

  it.each([
    ["{ ", "; }"],
    ["( ", " )"],
    ["if ", "; then :; fi"],
    ["f() { ", "; }"],
    ['"$(', ')"'],
    ["$( ", ")"],
    ["${x:-", "}"],
    ["${x[", "]}"],
    ["$((", "))"],
    ["<(", ")"],
  ])("reports 10,000 levels of %j", (open, close) => {
    const source = `:; ${open.repeat(10_000)}x${close.repeat(10_000)}`;
    expect(errorOf(source)?.message).toMatch(/levels of nesting/);
  });

  it.each(["a=(", "((", "a[", "!(", "case x in ", "[[ ( ", "[[ ! ", " `", '"', "! ", "time ", "'"])(
    "ends with 10,000 times %j",
    (open) => {
      errorOf(open.repeat(10_000));
      expect(errorOf(`${open.repeat(10_000)} )`)?.message).toMatch(/nesting|EOF|expected/);
    },
  );

  it("reads 1 MB on one line", () => {
    const size = 1_000_000;
    expect(parse(`echo ${"a".repeat(size)}`)).toHaveLength(1);
    expect(parse("echo a b c; ".repeat(size / 12))[0]?.items).toHaveLength(Math.floor(size / 12));
    expect(parse(`${"cat -- a | ".repeat(size / 11)}cat`)).toHaveLength(1);
    expect(parse(`echo ${"abc ".repeat(size / 4)}`)).toHaveLength(1);
    expect(errorOf(`echo "${"a'$x".repeat(size / 4)}`)?.isIncomplete).toBe(true);
    expect(parse(`[[ ${"a && ".repeat(size / 5)} b ]]`)).toHaveLength(1);
  });
});

it("parses every recorded line that bash parses", () => {
  const commands = groups.flatMap(({ cases }) => cases.map(({ command }) => command));
  const rejected = commands.filter((command) => errorOf(command) !== undefined);
  expect(rejected.filter((command) => !command.startsWith("shopt -s extglob nullglob\n"))).toEqual(
    REJECTED,
  );
});

/** The recorded lines that `bash -n` rejects; `engine-parser.test.ts` asks it. */
const REJECTED: readonly string[] = [
  "sed '/apple/a\\",
  "after apple' data/words.txt",
  "shopt -s extglob; ls !(*.md|*.json) -d",
  'echo "unclosed; echo $?',
  "if true; then echo x",
  "for i in 1 2; do echo $i",
  "echo )",
];
