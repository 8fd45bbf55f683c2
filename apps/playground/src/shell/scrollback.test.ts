import { expect, it } from "vitest";
import {
  OUTPUT_LIMIT,
  type ShellEntry,
  shownDirectory,
  withCommand,
  withOutput,
} from "./scrollback.ts";

const entry: ShellEntry = {
  id: 1,
  cwd: "/workspace",
  command: "x",
  output: "",
  isCut: false,
  phase: "running",
};

it("keeps the end of long output, from the beginning of a line", () => {
  const line = `${"x".repeat(99)}\n`;
  const full = withOutput(entry, line.repeat(OUTPUT_LIMIT / 100));
  expect(full.isCut).toBe(false);
  const cut = withOutput(full, "the end\n");
  expect(cut.isCut).toBe(true);
  expect(cut.output.length).toBeLessThanOrEqual(OUTPUT_LIMIT);
  expect(cut.output.startsWith("xxx")).toBe(true);
  expect(cut.output.endsWith("the end\n")).toBe(true);
  expect(withOutput(entry, "y".repeat(2 * OUTPUT_LIMIT)).output).toHaveLength(OUTPUT_LIMIT);
});

it("remembers command lines once in a row", () => {
  expect(withCommand(["ls"], "ls")).toEqual(["ls"]);
  expect(withCommand(["ls"], " ")).toEqual(["ls"]);
  expect(withCommand(["ls"], "pwd")).toEqual(["ls", "pwd"]);
});

it("shortens the directory", () => {
  expect(shownDirectory("/workspace", "/workspace")).toBe("~");
  expect(shownDirectory("/workspace/src", "/workspace")).toBe("~/src");
  expect(shownDirectory("/workspaces", "/workspace")).toBe("/workspaces");
});
