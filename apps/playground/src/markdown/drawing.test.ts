import { Lexer } from "marked";
import { expect, it } from "vitest";
import { createDrawing, type Drawn } from "./drawing.ts";

const PARAGRAPH = "Some *text* of forty characters, or so.\n\n";
const LONG = PARAGRAPH.repeat(2_500);
/** A step of a drawing, and the group that it continues. In characters. */
const MOST = 8_000 + 32 * PARAGRAPH.length;

const textOf = (groups: Drawn["groups"]) =>
  groups
    .flat()
    .map(({ raw }) => raw)
    .join("");

/** Characters of what is drawn anew. */
function drawnAnew(before: Drawn, after: Drawn): number {
  return textOf(after.groups.filter((group) => !before.groups.includes(group))).length;
}

it("draws a long text that comes at once in bounded steps, of which the last is like the others", () => {
  const drawing = createDrawing();
  let before = drawing.next(PARAGRAPH, false);
  let steps = 0;
  while (!before.isWhole || steps === 0) {
    const after = drawing.next(LONG, true);
    expect(drawnAnew(before, after)).toBeLessThanOrEqual(MOST);
    before = after;
    steps += 1;
  }
  expect(steps).toBe(Math.ceil((LONG.length - PARAGRAPH.length) / 8_000));
  expect(before.groups.flat()).toEqual([...Lexer.lex(LONG)]);
});

it("draws as much anew at the end of a long text as at the end of a short one", () => {
  const lastOf = (text: string) => {
    const drawing = createDrawing();
    drawing.next(text, false);
    const before = drawing.next(`${text}The e`, false);
    return drawnAnew(before, drawing.next(`${text}The end.`, true));
  };
  // Both end at the same place of a group.
  expect(lastOf(PARAGRAPH.repeat(2_560))).toBe(lastOf(PARAGRAPH.repeat(64)));
});

it("draws all that is there at first", () => {
  expect(createDrawing().next(LONG, true)).toMatchObject({ isWhole: true });
});
