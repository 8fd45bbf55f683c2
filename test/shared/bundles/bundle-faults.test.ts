import { type FileSystem, FileSystemError, type Platform } from "@robota/runtime";
import { BundlePluginInstaller, BundlePluginLoader } from "@robota/runtime/plugins";
import { withHost } from "#host";
import { expect, it } from "vitest";
import { installerPlatform, writeFiles } from "../../support/bundles/bundle-files.ts";
import type { Files } from "../../support/settings-support.ts";

const CHANGING = new Set(["writeFile", "appendFile", "mkdir", "remove", "rename", "chmod"]);
const WRITING_STORAGE = new Set(["set", "delete", "append"]);
const yes = () => true;

const version = (number: string): Files => ({
  "plugin.json": { name: "greeter", version: number, description: "Greets people" },
  "commands/hello.md": `Say hello (${number})`,
  "skills/kind/SKILL.md": `---\ndescription: Kindness\n---\nBe kind (${number}).`,
});

/** A machine that stops before its step `at`: that step and all later ones fail, as nothing of it runs any more. */
function stopping(platform: Platform, at: number): { host: Platform; steps: () => number } {
  let count = 0;
  const step = (path: string): void => {
    count += 1;
    if (count > at) throw new FileSystemError("EIO", path);
  };
  const counted = <Port extends object>(port: Port, names: ReadonlySet<string>): Port =>
    new Proxy(port, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (names.has(String(key))) {
            try {
              step(String(args[0]));
            } catch (error) {
              return Promise.reject(error);
            }
          }
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { home, cwd, fetch } = platform;
  const fs: FileSystem = counted(platform.fs, CHANGING);
  const storage = counted(platform.storage, WRITING_STORAGE);
  const host = { fs, storage, home, cwd, fetch, now: () => platform.now() } as unknown as Platform;
  return { host, steps: () => count };
}

/** The version in force on a machine that was started again, after a look at every file. */
async function inForce(platform: Platform, cwd: string): Promise<string | undefined> {
  const installer = new BundlePluginInstaller(installerPlatform(platform), { cwd });
  const [installed] = await installer.list({ scope: "user" });
  if (!installed) return undefined;
  const { fs } = platform;
  const { directory, digest, approved } = installed;
  const lock: { files: Record<string, string> } = JSON.parse(
    new TextDecoder().decode(await fs.readFile(`${directory}.lock.json`)),
  );
  const bundle = await new BundlePluginLoader({ fs }).load(directory, { files: lock.files });
  expect(bundle.skills?.[0]?.text).toBe(`Be kind (${bundle.manifest.version}).`);
  expect(bundle.manifest.version).toBe(installed.version);
  expect(approved, digest).toBe(true);
  return installed.version;
}

async function prepared(platform: Platform, cwd: string): Promise<BundlePluginInstaller> {
  await writeFiles(platform.fs, `${cwd}/one`, version("1.0.0"));
  await writeFiles(platform.fs, `${cwd}/two`, version("2.0.0"));
  return new BundlePluginInstaller(installerPlatform(platform), { cwd });
}

type Change = (installer: BundlePluginInstaller) => Promise<unknown>;

/** Runs `change` on a machine that stops at each of its steps in turn; returns the versions found afterwards. */
async function stoppedEverywhere(
  before: Change,
  change: Change,
  afterwards: Change,
): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (let at = 0; ; at += 1) {
    let isWhole = false;
    await withHost(async ({ platform, cwd }) => {
      const installer = await prepared(platform, cwd);
      await before(installer);
      const { host, steps } = stopping(platform, at);
      const stopped = change(new BundlePluginInstaller(installerPlatform(host), { cwd }));
      await stopped.catch(() => undefined);
      isWhole = steps() <= at;
      found.push(await inForce(platform, cwd));
      // A machine that runs again goes on from there, and nothing of the rest is in its way.
      await afterwards(installer);
      const { fs, home } = platform;
      const plugins = `${home === "/" ? "" : home}/.robota/plugins`;
      const names = (await fs.readdir(plugins)).map(({ name }) => name);
      expect(names).not.toContain(".staging");
      const left = names.includes("greeter") ? await fs.readdir(`${plugins}/greeter`) : [];
      expect(left.length).toBeLessThanOrEqual(2);
    });
    if (isWhole) return found;
  }
}

/** The order in which versions were found, without repetitions. */
const order = (found: readonly (string | undefined)[]): (string | undefined)[] =>
  found.filter((one, at) => at === 0 || one !== found[at - 1]);

const install =
  (from: string): Change =>
  (installer) =>
    installer.install(from, { approve: yes });
const update: Change = (installer) =>
  installer.update("greeter", { source: "./two", approve: yes });
const nothing: Change = async () => undefined;

it("R-38: an installation interrupted at any step has happened completely, or not at all", async () => {
  const again: Change = async (installer) => {
    const [there] = await installer.list();
    if (!there) await install("./one")(installer);
  };
  const found = await stoppedEverywhere(nothing, install("./one"), async (installer) => {
    await again(installer);
    await installer.disable("greeter");
  });
  expect(found.length).toBeGreaterThan(8);
  expect(order(found)).toEqual([undefined, "1.0.0"]);
});

it("R-38: an update interrupted at any step leaves either the old version or the new one", async () => {
  const found = await stoppedEverywhere(install("./one"), update, async (installer) => {
    await update(installer);
    await installer.disable("greeter");
  });
  expect(found.length).toBeGreaterThan(10);
  expect(order(found)).toEqual(["1.0.0", "2.0.0"]);
});

it("R-38: a removal interrupted at any step leaves the bundle complete, or gone", async () => {
  const found = await stoppedEverywhere(
    install("./one"),
    (installer) => installer.uninstall("greeter"),
    async (installer) => {
      if ((await installer.list()).length > 0) await installer.uninstall("greeter");
      await install("./two")(installer);
    },
  );
  expect(order(found)).toEqual(["1.0.0", undefined]);
});
