import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright";
import { expect, inject, vi } from "vitest";
import { chromiumProgram } from "../../hosts/chromium-program.ts";
import { buildSite, CHROMIUM_FLAGS, serveSite, type Site } from "./serve-site.ts";

/** The playground as it is published, and a browser to visit it with. */
export interface Playground extends Site {
  readonly browser: Browser;
}

const WAITING = { timeout: 180_000, interval: 200 };

let built: Promise<string> | undefined;

/** The folder of the build that all test files of a run share: the first that needs it makes it, others wait. */
export function builtSite(): Promise<string> {
  return (built ??= buildOnce(inject("playgroundBuild")));
}

async function buildOnce(directory: string): Promise<string> {
  const site = join(directory, "site");
  const ending = join(directory, "ending");
  try {
    await mkdir(site);
  } catch {
    await vi.waitFor(async () => expect(await readFile(ending, "utf8")).toBe("built"), WAITING);
    return site;
  }
  try {
    await buildSite(site);
    await writeFile(ending, "built");
  } catch (error) {
    await writeFile(ending, String(error));
    throw error;
  }
  return site;
}

/** Serves the built playground as a static host would, and starts a browser. */
export async function startPlayground(): Promise<Playground> {
  const site = await serveSite(await builtSite());
  const browser = await chromium.launch({
    executablePath: chromiumProgram,
    args: CHROMIUM_FLAGS,
  });
  return {
    ...site,
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await site[Symbol.asyncDispose]();
    },
  };
}
