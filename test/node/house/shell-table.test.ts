import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderShellTable } from "../../../scripts/docs/shell-table.ts";

it("keeps the documented comparison with bash current", () => {
  const file = join(import.meta.dirname, "../../../docs/shell.md");
  expect(readFileSync(file, "utf8")).toBe(renderShellTable());
});
