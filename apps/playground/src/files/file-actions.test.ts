import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { create, move, pathBelow, placeOf, typedPath, upload } from "./file-actions.ts";

it("creates and moves entries with their folders, and replaces nothing", async () => {
  const fs = new MemoryFileSystem({ files: { "/w/a.txt": "a" } });
  await create(fs, "/w/in/new.txt", "file");
  await expect(create(fs, "/w/a.txt", "file")).rejects.toMatchObject({ code: "EEXIST" });
  await expect(create(fs, "/w/in", "folder")).rejects.toMatchObject({ code: "EEXIST" });
  await move(fs, "/w/a.txt", "/w/deep/er/b.txt");
  await expect(move(fs, "/w/in/new.txt", "/w/deep/er/b.txt")).rejects.toMatchObject({
    code: "EEXIST",
  });
  await move(fs, "/w/in/new.txt", "/w/in/new.txt");
  await expect(move(fs, "/w/in", "/w/in/side/in")).rejects.toMatchObject({ code: "EINVAL" });
  expect(await fs.readdir("/w/in")).toEqual([{ name: "new.txt", type: "file" }]);
  expect(new TextDecoder().decode(await fs.readFile("/w/deep/er/b.txt"))).toBe("a");
});

it("puts new entries into the chosen folder or beside the chosen file, and never out of the workspace", () => {
  expect(placeOf(undefined, "/w")).toBe("/w");
  expect(placeOf({ path: "/w/in", isDirectory: true }, "/w")).toBe("/w/in");
  expect(placeOf({ path: "/w/in/a", isDirectory: false }, "/w")).toBe("/w/in");
  expect(typedPath("in/a.txt", "/w")).toBe("/w/in/a.txt");
  expect(typedPath("/in/../b.txt", "/w")).toBe("/w/b.txt");
  for (const text of ["", " ", ".", "../x", "../w"]) expect(typedPath(text, "/w")).toBeUndefined();
});

it("finds what lies in a folder, and not what only begins like it", () => {
  expect(pathBelow("/w/in", "/w/in")).toBe("");
  expect(pathBelow("/w/in/a.txt", "/w/in")).toBe("/a.txt");
  expect(pathBelow("/w/inner/a.txt", "/w/in")).toBeUndefined();
  expect(pathBelow(undefined, "/w/in")).toBeUndefined();
});

it("uploads into a folder, and gives a number to a name that is taken", async () => {
  const fs = new MemoryFileSystem({ files: { "/w/in/a.tar.gz": "old", "/w/in/.env": "old" } });
  const files = ["a.tar.gz", ".env", "../b.txt"].map((name) => new File([name], name));
  expect(await upload(fs, "/w/in", files)).toEqual([
    "/w/in/a.tar 2.gz",
    "/w/in/.env 2",
    "/w/in/b.txt",
  ]);
  expect(new TextDecoder().decode(await fs.readFile("/w/in/a.tar.gz"))).toBe("old");
});
