import { expect, it } from "vitest";
import { replace } from "./strings.ts";

interface Call {
  place?: string;
  replacement: string;
  turn?: () => undefined;
}

function replaced(
  text: string,
  source: string,
  { place = "all", replacement, turn = () => undefined }: Call,
): Promise<string> {
  return replace(text, source, { place, replacement, options: new Set(), bounds: { turn } });
}

it("replaces the first match, or all of them, by a text that may name the match", async () => {
  expect(await replaced("banana", "an", { place: "first", replacement: "[&]" })).toBe("b[an]ana");
  expect(await replaced("banana", "an", { replacement: "<&>" })).toBe("b<an><an>a");
  expect(await replaced("banana", "[bn]", { replacement: "\\&" })).toBe("&a&a&a");
  expect(await replaced("banana", "*", { replacement: "x" })).toBe("x");
  expect(await replaced("", "*", { replacement: "x" })).toBe("x");
  expect(await replaced("", "a", { replacement: "x" })).toBe("");
});

it.each(["x", "[xy]"])(
  "finds %s across the parts that a long text is searched in",
  async (source) => {
    const text = `${"a".repeat(99_999)}x${"b".repeat(20_000)}x`;
    const result = await replaced(text, source, { replacement: "" });
    expect(result.length).toBe(119_999);
    expect(result).not.toContain("x");
  },
);

it.each(["ab", "[a]b"])(
  "gives way to others while it replaces %s in a long text",
  async (source) => {
    let turns = 0;
    const turn = (): undefined => {
      if (++turns > 3) throw new Error("aborted");
    };
    const result = replaced("abc".repeat(1_000_000), source, { replacement: "x", turn });
    await expect(result).rejects.toThrow("aborted");
  },
);
