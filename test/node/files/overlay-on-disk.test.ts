import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeFileSystem } from "@robota/adapters-node";
import { fileSystemContract } from "@robota/runtime/testing";
import { OverlayFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { runContract } from "../../support/run-contract.ts";

const createRoot = (): Promise<string> => mkdtemp(join(tmpdir(), "robota-overlay-"));

/** An overlay over a real directory, which goes away with it. */
async function createOverlay(): Promise<OverlayFileSystem & AsyncDisposable> {
  const root = await createRoot();
  return Object.assign(new OverlayFileSystem(new NodeFileSystem({ root })), {
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  });
}

runContract(
  "OverlayFileSystem over a directory of the machine",
  fileSystemContract(createOverlay, { largeFileBytes: 5_000_000, manyEntries: 1000 }),
);

it("commits to a real directory, including unreadable directories and moved trees", async () => {
  const root = await createRoot();
  const base = new NodeFileSystem({ root });
  await base.mkdir("/src/deep", { recursive: true });
  await base.mkdir("/closed");
  await base.writeFile("/src/deep/file", "deep");
  await base.writeFile("/src/file", "file");
  await base.writeFile("/closed/old", "old");
  await base.utimes("/src/file", 1_000_000);
  await base.symlink("src/file", "/link");

  const overlay = new OverlayFileSystem(base);
  await overlay.rename("/src", "/lib");
  await overlay.remove("/link");
  await overlay.symlink("lib", "/link");
  await overlay.writeFile("/link/new", Uint8Array.of(0, 255));
  await overlay.remove("/closed/old");
  await overlay.writeFile("/closed/new", "new");
  await overlay.chmod("/closed/new", 0o755);
  await overlay.chmod("/closed", 0o500);
  await overlay.commit();

  expect(await overlay.changes()).toEqual([]);
  expect((await base.readdir("/")).map((entry) => entry.name)).toEqual(["closed", "lib", "link"]);
  expect(await readFile(join(root, "lib/deep/file"), "utf8")).toBe("deep");
  expect((await stat(join(root, "lib/file"))).mtimeMs).toBe(1_000_000);
  expect([...(await readFile(join(root, "link/new")))]).toEqual([0, 255]);
  expect(await base.readdir("/closed")).toEqual([{ name: "new", type: "file" }]);
  expect((await stat(join(root, "closed/new"))).mode & 0o777).toBe(0o755);
  expect((await stat(join(root, "closed"))).mode & 0o777).toBe(0o500);
  await rm(root, { recursive: true });
});
