import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { barriers, overflow, settled } from "../e2e/playground/audit.ts";
import { type Playground, startPlayground } from "../e2e/playground/site.ts";
import { partsOf, visit } from "../e2e/playground/visitor.ts";
import { scenes } from "./scenes.ts";

let playground: Playground;
const folder = inject("galleryFolder");

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  playground = await startPlayground();
}, 120_000);
afterAll(() => playground[Symbol.asyncDispose]());

describe.each([
  { width: 1280, height: 800, dark: false },
  { width: 1280, height: 800, dark: true },
  { width: 375, height: 740, dark: false },
  { width: 375, height: 740, dark: true },
])("on $width × $height, dark: $dark", (view) => {
  const suffix = `${view.width}-${view.dark ? "dark" : "light"}`;

  it.each(scenes)("$name has its picture, fits, and keeps nobody out", async ({ name, show }) => {
    await using visitor = await visit(playground, view);
    const { page } = visitor;
    page.setDefaultTimeout(20_000);
    await partsOf(page).message.waitFor();
    const path = join(folder, `${name}-${suffix}.png`);
    try {
      const shown = (await show(page)) ?? page;
      await settled(shown);
      await shown.screenshot({ path });
      expect(await overflow(shown)).toBe(0);
      expect(await barriers(shown)).toEqual([]);
    } catch (error) {
      await page.screenshot({ path: path.replace(/\.png$/, "-failed.png") });
      throw error;
    }
  });
});
