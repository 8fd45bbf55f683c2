import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { lostWithLargeText, missableTargets } from "../e2e/playground/access/audits.ts";
import { barriers, overflow, settled } from "../e2e/playground/audit.ts";
import { scenes } from "../e2e/playground/scenes/all.ts";
import { startServices } from "../e2e/playground/scenes/services.ts";
import { type Playground, startPlayground } from "../e2e/playground/site.ts";
import { partsOf, visit } from "../e2e/playground/visitor.ts";

let playground: Playground;
const services = startServices();
const folder = inject("galleryFolder");

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  playground = await startPlayground();
});
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await services[Symbol.asyncDispose]();
});

describe.each([
  { width: 1280, height: 800, dark: false },
  { width: 1280, height: 800, dark: true },
  { width: 375, height: 740, dark: false },
  { width: 375, height: 740, dark: true },
])("on $width × $height, dark: $dark", (view) => {
  const suffix = `${view.width}-${view.dark ? "dark" : "light"}`;

  it.each(scenes)(
    "$name has its picture, fits, and keeps nobody out",
    async ({ name, motion, show }) => {
      await using visitor = await visit(playground, { ...view, motion });
      const { page } = visitor;
      page.setDefaultTimeout(20_000);
      await partsOf(page).message.waitFor();
      const path = join(folder, `${name}-${suffix}.png`);
      try {
        const shown = (await show(page, services)) ?? page;
        await settled(shown);
        await shown.screenshot({ path });
        expect(await overflow(shown)).toBe(0);
        expect(await barriers(shown)).toEqual([]);
        if (view.width > 500 || view.dark) return;
        expect(await missableTargets(shown)).toEqual([]);
        expect(await lostWithLargeText(shown)).toEqual([]);
      } catch (error) {
        await page.screenshot({ path: path.replace(/\.png$/, "-failed.png") });
        throw error;
      }
    },
  );
});
