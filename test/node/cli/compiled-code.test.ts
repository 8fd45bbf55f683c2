import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let home: string;
let compiled: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-compiled-")));
  compiled = join(home, ".robota/~compiled");
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

async function version(env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [installed, "--version"], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
  });
  return stdout.trim();
}

/** The files of compiled code below the person's own directory. */
async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

it("keeps compiled code beside what is stored, for its person alone and for its own version", async () => {
  const own = await version();
  expect(await readdir(home)).toEqual([]);
  await mkdir(join(compiled, "0.0.0-before/v22"), { recursive: true });
  await version();
  expect(await readdir(compiled)).toEqual([own]);
  expect((await stat(compiled)).mode & 0o777).toBe(0o700);
  expect((await filesOf(compiled)).length).toBeGreaterThan(0);
});

it("keeps it in the place that its person has chosen for all programs", async () => {
  await mkdir(join(home, ".robota"));
  await version({ NODE_COMPILE_CACHE: join(home, "chosen") });
  expect(await readdir(join(home, ".robota"))).toEqual([]);
  expect((await filesOf(join(home, "chosen"))).length).toBeGreaterThan(0);
});

it("starts with damaged code, and where it can keep none", async () => {
  const own = await version();
  await mkdir(join(home, ".robota"));
  await version();
  for (const file of await filesOf(compiled)) await writeFile(file, "damaged");
  expect(await version()).toBe(own);
  await rm(compiled, { recursive: true });
  await mkdir(compiled);
  await writeFile(join(compiled, own), "no directory");
  expect(await version()).toBe(own);
  expect(await version({ HOME: "/dev/null" })).toBe(own);
});
