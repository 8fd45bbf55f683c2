import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Checklist,
  readChecklist,
  renderChecklist,
  testPath,
  THREATS,
  unproven,
} from "../../../scripts/docs/checklist.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("the checklist of the specification", () => {
  const checklist = readChecklist();

  it("has every row of the specification once, in order", () => {
    const ids = Array.from(
      { length: 293 },
      (_, index) => `S-${String(index + 1).padStart(3, "0")}`,
    );
    expect(Object.keys(checklist)).toEqual(ids);
  });

  it("names only existing tests", () => {
    const missing = Object.entries(checklist).flatMap(([id, { tests = [] }]) =>
      tests.filter((test) => !isInSources(test)).map((test) => `${id}: ${test}`),
    );
    expect(missing).toEqual([]);
  });

  it("matches its page in the documentation", () => {
    expect(read("docs/evidence/checklist.md")).toBe(renderChecklist(checklist));
  });

  it("has a reason for each row that requires nothing, which then has no test", () => {
    const rows = Object.entries(checklist).filter(([, row]) => row.notRequired !== undefined);
    expect(rows.map(([id]) => id)).toEqual(["S-292", "S-293"]);
    for (const [, { notRequired, tests }] of rows) {
      expect(notRequired).toMatch(/\.$/);
      expect(tests).toBeUndefined();
    }
  });
});

describe("the list of threats", () => {
  const threats = readChecklist(THREATS);

  it("names only existing tests, and matches its page in the documentation", () => {
    const tests = Object.values(threats).flatMap(({ tests: mapped = [] }) => mapped);
    expect(tests.filter((test) => !isInSources(test))).toEqual([]);
    expect(read("docs/evidence/threats.md")).toBe(renderChecklist(threats, THREATS));
  });
});

describe("a row", () => {
  const one = (...tests: string[]): Checklist => ({ "S-001": { feature: "Answers", tests } });
  const ran = (title: string, status: string) => ({
    testResults: [
      {
        name: join(root, "a.test.ts"),
        assertionResults: [{ ancestorTitles: ["an agent"], title, status }],
      },
    ],
  });

  it("is done with a test that passed, and open without one", () => {
    expect(renderChecklist(one("a.test.ts > an agent > answers"))).toContain("| done  |");
    expect(renderChecklist(one())).toContain("| open  |");
    expect(unproven(one("a.test.ts > an agent > answers"), ran("answers", "passed")).size).toBe(0);
    const template = one("a.test.ts > an agent > answers %s in ${mode} mode");
    expect(unproven(template, ran("answers me in plan mode", "passed")).size).toBe(0);
  });

  it("is not done by a test that passed on one host and failed on another", () => {
    const row = one("a.test.ts > an agent > answers");
    const [here, there] = [ran("answers", "passed"), ran("answers", "failed")];
    const report = { testResults: [...here.testResults, ...there.testResults] };
    expect(unproven(row, report).get("S-001")).toEqual(["failed: a.test.ts > an agent > answers"]);
  });

  it("is not done by a test that failed, was skipped or did not run", () => {
    const row = one("a.test.ts > an agent > answers");
    for (const report of [
      ran("answers", "failed"),
      ran("answers", "skipped"),
      ran("answers twice", "passed"),
    ]) {
      expect([...unproven(row, report).keys()]).toEqual(["S-001"]);
    }
    const [reason] = unproven(row, ran("answers", "skipped")).get("S-001") ?? [];
    expect(reason).toBe("skipped: a.test.ts > an agent > answers");
  });
});

/** True when the file has each of the titles, as a whole string. */
function isInSources(test: string): boolean {
  const { file, titles } = testPath(test);
  if (titles.length === 0 || !existsSync(join(root, file))) return false;
  const source = read(file);
  return titles.every((title) =>
    ['"', "`"].some((quote) => source.includes(quote + title + quote)),
  );
}
