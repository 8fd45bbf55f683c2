import { join } from "node:path";
import { type Browser, chromium } from "playwright";
import { inject } from "vitest";
import { buildSite, CHROMIUM_FLAGS, serveSite, type Site } from "./serve-site.ts";

/** The playground as it is published, and a browser to visit it with. */
export interface Playground extends Site {
  readonly browser: Browser;
}

/** The build that all test files of this process share. */
let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const directory = join(inject("playgroundBuilds"), `${process.pid}`);
  await buildSite(directory);
  return directory;
}

/** The folder of that build. */
export function builtSite(): Promise<string> {
  return (built ??= build());
}

/** Serves the built playground as a static host would, and starts a browser. */
export async function startPlayground(): Promise<Playground> {
  const site = await serveSite(await builtSite());
  const browser = await chromium.launch({
    executablePath: process.env["ROBOTA_CHROMIUM"] ?? "/usr/bin/chromium",
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
