import { expect, it } from "vitest";
import { expectWithin } from "../../../../test/support/time/own-time.ts";
import { requestTitle, titleText } from "./request-title.ts";

const title = (...args: Parameters<typeof requestTitle>): string =>
  titleText(requestTitle(...args));
const change = (before: string | null, after: string | null) => ({
  changes: [{ path: "/workspace/src/rules.js", before, after }],
});

it("says what wants to run", () => {
  expect(title({ tool: "Bash", args: { command: "sh check.sh" } })).toBe("Run sh check.sh?");
  expect(title({ tool: "WebFetch", args: { url: "https://a.example/b" } })).toBe(
    "Fetch https://a.example/b?",
  );
  expect(title({ tool: "mcp__issues__close", args: { id: 3 } })).toBe("Use mcp__issues__close?");
});

it("says what happens to a file, with its lines", () => {
  const args = { filePath: "/workspace/src/rules.js" };
  expect(title({ tool: "Edit", args }, change("a\nb\n", "a\nc\n"))).toBe(
    "Edit src/rules.js (+1 −1)?",
  );
  expect(title({ tool: "Write", args }, change(null, "a\nb\n"))).toBe("Create src/rules.js (+2)?");
  expect(title({ tool: "Write", args }, change("a\n", "b\n"))).toBe(
    "Overwrite src/rules.js (+1 −1)?",
  );
  expect(title({ tool: "Write", args })).toBe("Write src/rules.js?");
});

it("is one line, and short", () => {
  const command = `echo one\necho ${"x".repeat(500)}`;
  const text = title({ tool: "Bash", args: { command } });
  expect(text).toContain("echo one ⏎ echo xx");
  expect(text.length).toBeLessThan(110);
});

it("is made in linear time of a command with many spaces", async () => {
  const command = `echo a${" ".repeat(100_000)}b`;
  await expectWithin(1_000, () =>
    expect(title({ tool: "Bash", args: { command } })).toMatch(/^Run echo a +…\?$/),
  );
});
