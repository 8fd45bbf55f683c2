import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/edge.md"), "utf8");
const source = readFileSync(join(root, "apps/edge-worker/src/settings.ts"), "utf8");

it("documents every setting of the worker's operator in one table, and no other", () => {
  const table = page.slice(page.indexOf("| setting "), page.indexOf("Limits are counted"));
  const documented = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
  const known = [...source.matchAll(/^  ([A-Z_]+): \(/gm)].map(([, name]) => name);
  expect(known.length).toBeGreaterThan(15);
  expect(documented).toEqual(known);
});
