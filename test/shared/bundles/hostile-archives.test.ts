import type { FileSystem } from "@robota/runtime";
import { BundleError, BundlePluginInstaller } from "@robota/runtime/plugins";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import { installerPlatform } from "../../support/bundles/bundle-files.ts";
import { HOSTILE, type HostileArchive } from "../../support/bundles/hostile-archives.ts";
import { treeOf } from "../../support/tree-of.ts";

const URL = "https://example.com/bundle.zip";
const CHANGING = [
  "writeFile",
  "appendFile",
  "mkdir",
  "remove",
  "rename",
  "symlink",
  "chmod",
  "utimes",
];

/** The same files, with each call that changes something written down. */
function watched(fs: FileSystem, calls: string[]): FileSystem {
  return new Proxy(fs, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (CHANGING.includes(String(key))) calls.push(`${String(key)} ${String(args[0])}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function outcomeOf(
  { bytes, outcome }: HostileArchive,
  platform: Parameters<typeof installerPlatform>[0],
): Promise<void> {
  const calls: string[] = [];
  const host = installerPlatform(platform, { [URL]: await bytes() });
  const installer = new BundlePluginInstaller({ ...host, fs: watched(platform.fs, calls) });
  const installing = installer.install(URL, { approve: () => true });
  if (outcome !== "contained") {
    const error: unknown = await installing.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BundleError);
    expect(error).toMatchObject({ code: outcome });
    // Refused before anything is written.
    expect(calls).toEqual([]);
    return;
  }
  const { directory, name } = await installing;
  const plugins = `${platform.home === "/" ? "" : platform.home}/.robota/plugins`;
  expect(directory.startsWith(`${plugins}/greeter/`)).toBe(true);
  for (const call of calls) expect(call.split(" ")[1]?.startsWith(plugins), call).toBe(true);
  for (const [path, { type, mode }] of Object.entries(await treeOf(platform.fs, directory))) {
    expect(["file", "directory"], path).toContain(type);
    if (type === "file") expect(mode & 0o7777, path).toBe(0o644);
  }
  await installer.uninstall(name);
}

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("T-20, A43: of hostile archives, in %s", (_, onHost) => {
  it("there are at least 60, each with its own name", () => {
    expect(new Set(HOSTILE.map(({ name }) => name)).size).toBe(HOSTILE.length);
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
  });

  it("each is refused before anything is written, or contained", () =>
    onHost(async ({ platform }) => {
      const wrong: string[] = [];
      for (const archive of HOSTILE) {
        try {
          await outcomeOf(archive, platform);
        } catch (error) {
          wrong.push(`${archive.name}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      expect(wrong).toEqual([]);
    }));
});
