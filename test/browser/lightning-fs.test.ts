import { BrowserFileSystem } from "@robota/adapters-web";
import { beforeEach, expect, it, onTestFinished } from "vitest";

// The `fs` of a library written for Node, with the defects of LightningFS itself made good.
let lightning: BrowserFileSystem["lightning"];

beforeEach(() => {
  const fs = new BrowserFileSystem(crypto.randomUUID());
  ({ lightning } = fs);
  onTestFinished(() => fs.dispose());
});

it("decodes text by every spelling of UTF-8, and keeps a byte order mark", async () => {
  const { promises } = lightning;
  await promises.writeFile("/file", "\ufeffé");
  for (const encoding of ["utf8", "utf-8", "UTF-8"]) {
    expect(await promises.readFile("/file", { encoding })).toBe("\ufeffé");
  }
  expect(await promises.readFile("/file", "utf8")).toBe("\ufeffé");
  expect(await promises.readFile("/file")).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa9));
  await expect(promises.readFile("/file", { encoding: "no-such" })).rejects.toMatchObject({
    code: "EINVAL",
  });
});

it("distinguishes files, directories and symlinks", async () => {
  const { promises } = lightning;
  await promises.mkdir("/d");
  await promises.writeFile("/d/file", "x");
  await promises.symlink("d", "/link");
  const refusals: [() => Promise<unknown>, string][] = [
    [() => promises.unlink("/d"), "EISDIR"],
    [() => promises.rmdir("/d/file"), "ENOTDIR"],
    [() => promises.rmdir("/d"), "ENOTEMPTY"],
    [() => promises.rmdir("/link"), "ENOTDIR"],
    [() => promises.readFile("/d"), "EISDIR"],
    [() => promises.writeFile("/d/file/below", "x"), "ENOTDIR"],
    [() => promises.stat("/d/file/below"), "ENOTDIR"],
    [() => promises.mkdir("/d"), "EEXIST"],
    [() => promises.symlink("x", "/link"), "EEXIST"],
    [() => promises.rename("/d", "/d/below"), "EINVAL"],
  ];
  for (const [refused, code] of refusals) await expect(refused()).rejects.toMatchObject({ code });

  await promises.rename("/d/file", "/d/file");
  expect(await promises.readFile("/d/file", "utf8")).toBe("x");
  await promises.unlink("/d/file");
  await promises.rmdir("/d");
  expect(await promises.readdir("/")).toEqual(["link"]);
});

it("reports kinds, numbers, modes and sizes as Node's stats do", async () => {
  const { promises } = lightning;
  await promises.mkdir("/d", { mode: 0o700 });
  await promises.writeFile("/d/script", "12345", { mode: 0o755 });
  await promises.symlink("d/script", "/link");
  const [file, link, directory] = await Promise.all([
    promises.stat("/link"),
    promises.lstat("/link"),
    promises.stat("/d"),
  ]);
  expect(file).toMatchObject({ mode: 0o755, size: 5 });
  expect([file.isFile(), link.isSymbolicLink(), directory.isDirectory()]).toEqual([
    true,
    true,
    true,
  ]);
  expect(new Set([file.ino, link.ino, directory.ino]).size).toBe(3);
  expect(directory.mode).toBe(0o700);
  expect(await promises.du("/")).toBe(5 + "d/script".length);
});

it("supports callbacks too", async () => {
  await new Promise<void>((resolve, reject) => {
    lightning.writeFile("/file", "x", undefined, (error) => (error ? reject(error) : resolve()));
  });
  const names = await new Promise<string[]>((resolve, reject) => {
    lightning.readdir("/", undefined, (error, found) => (error ? reject(error) : resolve(found)));
  });
  expect(names).toEqual(["file"]);
});

it("refuses unsupported operations", async () => {
  const { promises } = lightning;
  await promises.writeFile("/file", "x");
  await expect(promises.cp("/file", "/copy")).rejects.toMatchObject({ code: "EPERM" });
  await expect(promises.chown("/file", 1, 1)).rejects.toMatchObject({ code: "EPERM" });
});
