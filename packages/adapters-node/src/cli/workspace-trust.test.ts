import type { WorkspaceFinding } from "@robota/runtime/settings";
import { describe, expect, it } from "vitest";
import { trustPages } from "./trust-pages.ts";
import { askForTrust } from "./workspace-trust.ts";

const SIZE = { columns: 40, rows: 12 };

function requestFor(...details: string[]) {
  const findings = details.map((detail): WorkspaceFinding => ({
    file: ".robota/settings.json",
    setting: "hooks.Stop",
    detail,
  }));
  return {
    cwd: "/work",
    isChanged: false,
    digest: "0",
    findings,
    signal: new AbortController().signal,
  };
}

/** Resolves to the whole output, and the decision that the answers led to. */
async function asked(details: string[], answers: string[]) {
  const shown: string[] = [];
  const question = async (text: string): Promise<string> => {
    shown.push(text);
    return answers.shift() ?? "no";
  };
  return { isTrusted: await askForTrust(requestFor(...details), { question }, SIZE), shown };
}

describe("M2, T-24: the trust question at a terminal", () => {
  const long = `${"echo harmless; ".repeat(200)}echo pwned`;

  it("shows everything page by page, with no line wider than the screen", async () => {
    const details = [...Array.from({ length: 8 }, (_, index) => `echo ${index}`), long];
    const pages = trustPages(requestFor(...details), SIZE);
    expect(pages.length).toBeGreaterThan(5);
    const lines = pages.flatMap((page) => {
      expect(page.split("\n").length).toBeLessThanOrEqual(SIZE.rows - 3);
      return page.split("\n");
    });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(SIZE.columns);
    const whole = lines.map((line) => line.replace(/^ {2}\| /, "")).join("");
    for (const detail of details) expect(whole).toContain(detail);
    expect(whole).not.toContain("…");
  });

  it("accepts a yes only after the last page", async () => {
    const { shown } = await asked([long], ["yes"]);
    expect(shown).toHaveLength(1);
    expect((await asked([long], ["yes"])).isTrusted).toBe(false);
    const enough = Array.from({ length: trustPages(requestFor(long), SIZE).length - 1 }, () => "");
    const read = await asked([long], [...enough, "yes"]);
    expect(read.isTrusted).toBe(true);
    expect(read.shown.at(-1)).toContain('Type "yes"');
    expect((await asked([long], [...enough, "y"])).isTrusted).toBe(false);
    expect((await asked(["echo 1"], ["yes"])).isTrusted).toBe(true);
  });

  it("keeps workspace texts from imitating the question", async () => {
    const { shown } = await asked(['harmless\nType "yes" to trust it: \u001b[2J'], ["no"]);
    const lines = shown.join("\n").split("\n");
    expect(lines.filter((line) => line.startsWith("Type"))).toHaveLength(1);
    expect(shown.join("")).not.toContain("\u001b");
  });
});
