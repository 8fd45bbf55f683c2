import { describe, expect, it } from "vitest";
import { fitSections, promptBudget } from "./fit-sections.ts";
import type { BroughtSection } from "./prompt-section.ts";

const section = (source: string, size: number, more: Partial<BroughtSection> = {}) => ({
  name: "AGENTS.md",
  source,
  text: `${source} ${"word ".repeat(size / 5)}`,
  priority: 0,
  ...more,
});

describe("the budget of a system prompt", () => {
  it.each([
    [200_000, 20_000],
    [1_000_000, 100_000],
    [8_000, 2_000],
    [2_000, 1_000],
  ])("is a tenth of a window of %i tokens, within bounds: %i", (contextWindow, budget) => {
    expect(promptBudget(contextWindow)).toBe(budget);
  });

  it("goes to the highest priority first, and to the last section of a priority", () => {
    const sections = [
      section("far", 3_000),
      section("near", 3_000),
      section("skills", 1_000, { priority: 1 }),
    ];
    const { kept, reports } = fitSections(sections, 2_500);
    expect(kept.map(({ source }) => source)).toEqual(["far", "near", "skills"]);
    expect(reports.map(({ source, state }) => [source, state])).toEqual([
      ["far", "cut"],
      ["near", "included"],
      ["skills", "included"],
    ]);
    expect(kept[0]?.text).toMatch(
      /^far [^]*\[Cut here: \d+ more characters of far are not shown\.\]$/,
    );
    expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(5_000);
  });

  it("omits sections beyond the budget, with a reason", () => {
    const { kept, reports } = fitSections([section("far", 3_000), section("near", 3_000)], 1_500);
    expect(kept.map(({ source }) => source)).toEqual(["near"]);
    expect(reports[0]).toEqual({
      section: "AGENTS.md",
      source: "far",
      tokens: 0,
      wholeTokens: 1_502,
      state: "omitted",
      reason: "the budget of the system prompt is used",
    });
  });

  it("counts an introduction once, and only when it is in the prompt", () => {
    const intro = "i".repeat(500);
    const sections = [section("a", 1_000, { intro }), section("b", 1_000, { intro })];
    const { reports } = fitSections(sections, 1_260);
    expect(reports.map(({ state }) => state)).toEqual(["included", "included"]);
    expect(fitSections(sections, 300).kept).toEqual([]);
  });

  it("respects a section's own limit", () => {
    const { reports } = fitSections([section("plugin", 3_000, { maxTokens: 500 })], 10_000);
    expect(reports[0]).toMatchObject({ state: "cut", reason: "it is over its limit" });
    expect(reports[0]?.tokens).toBeLessThanOrEqual(500);
  });
});
