import { expect, it } from "vitest";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";
import { compactInstructions } from "./compact-instructions.ts";

const read = (text: string): string | undefined =>
  compactInstructions([
    { kind: "CLAUDE.md", path: "/p/CLAUDE.md", name: "CLAUDE.md", scope: "project", text },
  ]);

it.each([
  ["## Compact Instructions\nx", "x"],
  ["## Compact Instructions ##\nx\n### y\nz\n## w", "x\n### y\nz"],
  ["  #\tcompact instructions \nx\n# y", "x"],
  ["#Compact Instructions\nx", undefined],
  ["## Compact Instructions of others\nx", undefined],
  ["## On Compact Instructions\nx", undefined],
])("the section for summaries in %j is %j", (text, section) => {
  expect(read(text)).toBe(section);
});

it.each(["#".repeat(6), " #", "# ", " ", "#\t"])(
  "a heading with many of %j is read in linear time",
  async (part) => {
    const heading = `# x${part.repeat(100_000 / part.length)}y`;
    await expectWithin(1_000, () =>
      expect(read(`${heading}\n# Compact Instructions\nz`)).toBe("z"),
    );
  },
);
