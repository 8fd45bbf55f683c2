import { expect, it } from "vitest";
import { expandBraces } from "./braces.ts";

const bounds = { words: () => {}, text: () => {}, turn: () => undefined };

function expand(text: string): string[] {
  const word = { at: 0, parts: [{ type: "text" as const, text, isQuoted: false }] };
  return Array.from(expandBraces(word, bounds), ({ parts }) =>
    parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  );
}

it.each([
  ["x{a,b}y", "xay xby"],
  ["{a,b}{1,2}", "a1 a2 b1 b2"],
  ["{a,{b,c}}d", "ad bd cd"],
  ["{3..1}", "3 2 1"],
  ["{08..10..2}", "08 10"],
  ["{c..a}", "c b a"],
  ["{a", "{a"],
  ["{a}", "{a}"],
  ["{a}b,c}", "a}b c"],
  ["a{}b,c}", "a}b ac"],
  ["{}a,b}", "{}a,b}"],
  ["{a..{x,y}}", "a..x a..y"],
  ["{a..bc}{x,y}", "{a..bc}x {a..bc}y"],
])("expands %s", (text, words) => {
  expect(expand(text).join(" ")).toBe(words);
});

it("reads many braces that never close in little time", () => {
  const text = `${"{".repeat(20_000)}${"}".repeat(20_000)}${"{}".repeat(20_000)}`;
  expect(expand(text)).toEqual([text]);
});

it("makes the words of a long range one by one", () => {
  const word = { at: 0, parts: [{ type: "text" as const, text: "{1..1000000}", isQuoted: false }] };
  const [first] = expandBraces(word, bounds);
  expect(first?.parts).toEqual([{ type: "text", text: "1", isQuoted: false }]);
});
