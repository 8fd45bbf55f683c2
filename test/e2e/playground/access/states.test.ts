import { afterAll, beforeAll, expect, it } from "vitest";
import { scenes } from "../scenes/all.ts";
import { startServices } from "../scenes/services.ts";
import { type Playground, startPlayground } from "../site.ts";
import { eventually, partsOf, visit } from "../visitor.ts";
import { barriersByTheme, lostWithLargeText, missableTargets } from "./audits.ts";

let playground: Playground;
const services = startServices();

beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(async () => {
  await playground[Symbol.asyncDispose]();
  await services[Symbol.asyncDispose]();
});

/** One of each kind; `npm run gallery` checks all. */
const MAIN = new Set([
  "start",
  "running",
  "done",
  "queue-paused",
  "command-menu",
  "approval-edit",
  "approval-always",
  "approval-several",
  "files",
  "editor",
  "changes",
  "shell",
  "inspector-events",
  "inspector-context",
  "rewind",
  "replay",
  "models",
  "workspaces",
  "settings",
  "sessions",
  "server-refused",
  "plugin-installed",
]);

it.each(scenes.filter(({ name }) => MAIN.has(name)))(
  "$name, on a phone: no barrier light or dark, room for fingers, readable at twice the text size",
  async ({ show, motion }) => {
    await using visitor = await visit(playground, { width: 375, height: 740, motion });
    visitor.page.setDefaultTimeout(30_000);
    await partsOf(visitor.page).message.waitFor();
    const page = (await show(visitor.page, services)) ?? visitor.page;
    // A long list draws its rows once it has scrolled to them.
    await eventually(() => missableTargets(page)).toEqual([]);
    expect.soft(await barriersByTheme(page)).toEqual([]);
    expect.soft(await lostWithLargeText(page)).toEqual([]);
  },
);
