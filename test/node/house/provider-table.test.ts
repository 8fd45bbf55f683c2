import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testPath } from "../../../scripts/docs/checklist.ts";
import { readFeatures, renderProviders, testsOf } from "../../../scripts/docs/provider-table.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("the table of providers", () => {
  const rows = readFeatures();

  it("names only existing tests", () => {
    const tests = Object.values(testsOf(rows)).flatMap(({ tests: [test = ""] = [] }) => test);
    expect(tests.length).toBeGreaterThan(60);
    expect(tests.filter((test) => !isInSources(test))).toEqual([]);
  });

  it("matches its page in the documentation", () => {
    expect(read("docs/providers.md")).toBe(renderProviders(rows));
  });

  it("marks a cell whose test did not pass", () => {
    const row = { feature: "Speaks", anthropic: "a.test.ts > speaks", chat: { no: "it is mute" } };
    const [anthropic, , chat] = cells(renderProviders([row]));
    expect([anthropic, chat]).toEqual(["yes", "no (1)"]);
    expect(cells(renderProviders([row], new Set(["Speaks / anthropic"])))[0]).toBe("fails");
  });
});

function cells(text: string): string[] {
  const line = text.split("\n").find((candidate) => candidate.startsWith("| Speaks")) ?? "";
  return line
    .split("|")
    .slice(2)
    .map((cell) => cell.trim());
}

/** True when the file has each of the titles, as a whole string or as a template that it is made from. */
function isInSources(test: string): boolean {
  const { file, titles } = testPath(test);
  if (titles.length === 0 || !existsSync(join(root, file))) return false;
  const strings = [...read(file).matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`\n]*)`/g)].map(
    ([, quoted, template]) => (quoted ?? template ?? "").replaceAll('\\"', '"'),
  );
  return titles.every((title, depth) =>
    strings.some((string) => string === title || fits(string, title, depth === 0)),
  );
}

/** A suite may be named by its placeholder alone, a test may not. */
function fits(template: string, title: string, isSuite: boolean): boolean {
  if (!/%[sdij]/.test(template) || (!isSuite && template.length < 10)) return false;
  const literal = template
    .split(/%[sdij]/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".+")}$`).test(title);
}
