import { describe, expect, it } from "vitest";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";
import { mentionAt, mentionOf, mentionsIn } from "./mention-words.ts";

describe("mentions in a prompt", () => {
  it("are words that begin with @, without the end of a sentence, and each once", () => {
    expect(mentionsIn("Compare @src/a.ts, (@src/b.ts) and @src/a.ts.")).toEqual([
      "src/a.ts",
      "src/b.ts",
    ]);
    expect(mentionsIn('Look at @"my notes.txt" and @src/')).toEqual(["my notes.txt", "src/"]);
    expect(mentionsIn("ada@example.org, @ and @. are none")).toEqual([]);
  });

  it("are read in linear time with many dots within a word", async () => {
    const name = `a${".".repeat(100_000)}b`;
    await expectWithin(1_000, () => expect(mentionsIn(`Read @${name}.`)).toEqual([name]));
  });

  it("are found at the cursor, with all of the word behind it", () => {
    expect(mentionAt("see @src/a.ts now", 8)).toEqual({ start: 4, end: 13, typed: "src" });
    expect(mentionAt("@", 1)).toEqual({ start: 0, end: 1, typed: "" });
    expect(mentionAt('see @"my no', 11)).toEqual({ start: 4, end: 11, typed: "my no" });
    expect(mentionAt("ada@example.org", 15)).toBeUndefined();
    expect(mentionAt("see @a ", 7)).toBeUndefined();
    expect(mentionAt("(@a(@b", 6)).toEqual({ start: 1, end: 6, typed: "a(@b" });
    expect(mentionAt("a@b(@c", 6)).toEqual({ start: 4, end: 6, typed: "c" });
    expect(mentionAt('see @"my" no', 12)).toBeUndefined();
    expect(mentionAt('see @"my" @no', 13)).toEqual({ start: 10, end: 13, typed: "no" });
    expect(mentionAt('see "@no', 8)).toBeUndefined();
    expect(mentionAt('see @"my\n(@no', 13)).toEqual({ start: 10, end: 13, typed: "no" });
    expect(mentionAt('"@a', 3)).toBeUndefined();
    expect(mentionAt('@"', 2)).toEqual({ start: 0, end: 2, typed: "" });
    expect(mentionAt('x@"a', 4)).toBeUndefined();
  });

  it("are found at the cursor in linear time", async () => {
    const text = `${"(@".repeat(100_000)} `;
    await expectWithin(1_000, () => expect(mentionAt(text, text.length)).toBeUndefined());
    await expectWithin(1_000, () => expect(mentionAt(text, 200_000)?.start).toBe(1));
  });

  it("are written so that they are read back", () => {
    for (const name of ["a.ts", "my notes.txt", "why?", "src/"])
      expect(mentionsIn(`Read ${mentionOf(name)} first.`)).toEqual([name]);
  });
});
