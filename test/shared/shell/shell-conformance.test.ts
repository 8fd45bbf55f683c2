import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import { different, groups } from "../../conformance/groups.ts";
import { conformsToBash } from "../../conformance/suite.ts";

conformsToBash("VirtualShell", async (run) => {
  const fs = new MemoryFileSystem();
  await run({ fs, shell: new VirtualShell({ fs }) });
});

const commands = groups.flatMap(({ cases }) => cases.map(({ command }) => command));

it("lists only recorded command lines", () => {
  expect([...different].filter((command) => !commands.includes(command))).toEqual([]);
});

it("gives bash's answers to 98.5 of 100 command lines", () => {
  expect(different.size / commands.length).toBeLessThanOrEqual(0.015);
});
