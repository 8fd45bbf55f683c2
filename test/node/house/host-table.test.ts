import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testPath } from "../../../scripts/docs/checklist.ts";
import { hostTests, readHostRows, renderHosts } from "../../../scripts/docs/host-table.ts";

const root = join(import.meta.dirname, "../../..");
const rows = readHostRows();

/** Where a test of each host may be. */
const PLACES = {
  node: /^(?:test\/(?:shared|node)\/|test\/e2e\/session-move)/,
  tab: /^(?:test\/(?:shared|browser|e2e)\/|packages\/adapters-web\/)/,
  worker: /^(?:test\/(?:shared|workerd|e2e)\/)/,
};

it("names for each cell an existing test that runs on its host", () => {
  const cells = Object.entries(hostTests(rows));
  expect(cells.length).toBeGreaterThan(90);
  const wrong = cells.flatMap(([cell, { tests: [test = ""] = [] }]) => {
    const { file, titles } = testPath(test);
    const host = cell.slice(cell.lastIndexOf("/") + 2) as keyof typeof PLACES;
    const source = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    const exists = titles.every((title) =>
      ['"', "`"].some((quote) => source.includes(quote + title + quote)),
    );
    return titles.length > 0 && exists && PLACES[host].test(file) ? [] : [`${cell}: ${test}`];
  });
  expect(wrong).toEqual([]);
});

it("has a cell for each host in every row", () => {
  const open = rows.filter(({ node, tab, worker }) => !node || !tab || !worker);
  expect(open).toEqual([]);
});

it("matches its page in the documentation", () => {
  const page = readFileSync(join(root, "docs/what-works-where.md"), "utf8");
  expect(page).toBe(renderHosts(rows));
});
