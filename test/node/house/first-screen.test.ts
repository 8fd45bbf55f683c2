import { join } from "node:path";
import { expect, it } from "vitest";
import { inBrowser, loadScreen } from "../../../apps/playground/first-screen-plugin.ts";

const root = join(import.meta.dirname, "../../..");

it("the first screen is drawn from sources, so that a fresh clone can build the page", async () => {
  const { module, dependencies } = await inBrowser(() =>
    loadScreen(join(root, "apps/playground"), { conditions: ["@robota/source"] }),
  );
  const files = dependencies.map((file) => file.replaceAll("\\", "/"));
  expect(files.some((file) => file.includes("packages/react/src/"))).toBe(true);
  expect(files.some((file) => file.includes("packages/runtime/src/"))).toBe(true);
  expect(files.filter((file) => /packages\/\w+\/dist\//.test(file))).toEqual([]);
  expect(typeof module.drawFirstScreen).toBe("function");
});
