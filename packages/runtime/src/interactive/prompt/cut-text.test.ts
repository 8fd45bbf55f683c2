import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutText", () => {
  it("returns a fitting text unchanged", () => {
    expect(cutText("one\n\ntwo", 8)).toEqual({ text: "one\n\ntwo", cutOff: 0 });
  });

  it("cuts at the end of a paragraph, and counts the rest", () => {
    const text = `${"a".repeat(60)}\n\n${"b".repeat(60)}`;
    expect(cutText(text, 100)).toEqual({ text: "a".repeat(60), cutOff: 62 });
  });

  it("cuts at the end of a line when the last paragraph ends too early", () => {
    const text = `intro\n\n${"a".repeat(60)}\n${"b".repeat(60)}`;
    expect(cutText(text, 100).text).toBe(`intro\n\n${"a".repeat(60)}`);
  });

  it("cuts a single line between two characters", () => {
    const { text, cutOff } = cutText("😀".repeat(100), 100);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeGreaterThan(80);
    expect(text.length + cutOff).toBe(200);
  });

  it("does not take an empty line in a code block for the end of a paragraph, and closes the block", () => {
    const code = `\`\`\`\`sh\n${"a".repeat(40)}\n\n${"b".repeat(40)}\n\`\`\`\n${"c".repeat(80)}\n\`\`\`\``;
    const { text } = cutText(code, 120);
    expect(text.endsWith(`${"b".repeat(40)}\n\`\`\`\n\`\`\`\``)).toBe(true);
  });

  it.each(["x".repeat(500), "x\n\n".repeat(200), `\`\`\`\`\`\`\`\`\n${"x\n".repeat(300)}`])(
    "never exceeds the limit",
    (text) => {
      for (let length = 60; length < 400; length += 1)
        expect(cutText(text, length).text.length).toBeLessThanOrEqual(length);
    },
  );
});
