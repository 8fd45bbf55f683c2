import { describe, expect, it } from "vitest";
import { importsIn } from "./imports-in.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

describe("the imports of a Markdown text", () => {
  it.each([
    ["@AGENTS.md", ["AGENTS.md"]],
    ["See @README and @docs/git.md, then @./x.md.", ["README", "docs/git.md", "./x.md"]],
    ["- @~/.claude/mine.md\n- (not @in) brackets", ["~/.claude/mine.md", "in"]],
    ["@a.md @a.md", ["a.md"]],
    ["@my\\ notes.md", ["my notes.md"]],
    ["write to me@example.com or a@b", []],
    ["@", []],
    ["line one\n@a.md\nline three", ["a.md"]],
    ["## @a.md", ["a.md"]],
  ])("%j: %j", (text, expected) => {
    expect(importsIn(text)).toEqual(expected);
  });

  it.each([
    ["a code span", "use `@a.md` or ``x ` @b.md`` here"],
    ["a code span over two lines", "use `@a.md\n@b.md` here"],
    ["a fenced block", "```\n@a.md\n```"],
    ["a fenced block with a language", "~~~md\n```\n@a.md\n~~~"],
    ["a fenced block that never ends", "```\n@a.md\n\n@b.md"],
    ["an indented block", "text\n\n    @a.md\n    @b.md\n"],
  ])("are ignored in %s", (_, text) => {
    expect(importsIn(text)).toEqual([]);
  });

  it.each([
    ["behind a code span", "`x` @a.md `y`"],
    ["behind backticks that open nothing", "`` @a.md `x`"],
    ["behind a block", "```\nx\n```\n@a.md"],
    ["in a list's second paragraph", "- one\n\n    @a.md"],
    ["in an indented line of a paragraph", "text\n    @a.md"],
  ])("are found %s", (_, text) => {
    expect(importsIn(text)).toEqual(["a.md"]);
  });

  it.each(["` ", "`` ` ", "@ ", "\\ ", "@a\\ ", "    @a\n\n"])(
    "are found in linear time in many of %j",
    async (part) => {
      await expectWithin(1_000, () => {
        importsIn(part.repeat(100_000 / part.length));
      });
    },
  );

  it("are found in linear time with many dots within a path", async () => {
    const path = `a${".".repeat(100_000)}b`;
    await expectWithin(1_000, () => expect(importsIn(`@${path}.`)).toEqual([path]));
  });
});
