import { memoryPlatform } from "@robota/runtime/testing";
import { OverlayFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { applyDifferences, fileDifferences } from "./file-differences.ts";

it("finds what one view changed, made and deleted, and carries it over", async () => {
  const { fs } = memoryPlatform();
  await fs.mkdir("/w/src/.git", { recursive: true });
  await fs.writeFile("/w/kept.md", "same");
  await fs.writeFile("/w/src/a.js", "one\n");
  await fs.writeFile("/w/gone.txt", "bye");
  await fs.writeFile("/w/src/.git/index", "x");
  const side = new OverlayFileSystem(fs);
  expect(await fileDifferences(fs, side, "/w")).toEqual([]);
  await side.writeFile("/w/src/a.js", "two\n");
  // As `cp -p` and `touch -r` leave it: as long, and as old.
  await side.utimes("/w/src/a.js", (await fs.stat("/w/src/a.js")).mtimeMs);
  await side.writeFile("/w/src/.git/index", "y");
  await side.mkdir("/w/new", { recursive: true });
  await side.writeFile("/w/new/b.txt", "new");
  await side.writeFile("/w/picture", new Uint8Array([0, 1, 2]));
  await side.remove("/w/gone.txt");
  // Written again with the same content: no difference.
  await side.writeFile("/w/kept.md", "same");

  const found = await fileDifferences(fs, side, "/w");
  expect(found).toEqual([
    { path: "/w/gone.txt", before: "bye", after: null, isText: true },
    { path: "/w/new/b.txt", before: null, after: "new", isText: true },
    { path: "/w/picture", before: null, after: "", isText: false },
    { path: "/w/src/a.js", before: "one\n", after: "two\n", isText: true },
  ]);
  expect(await fileDifferences(fs, side, "/elsewhere")).toEqual([]);
  await applyDifferences(side, fs, "/w");
  expect(await fileDifferences(fs, side, "/w")).toEqual([]);
});
