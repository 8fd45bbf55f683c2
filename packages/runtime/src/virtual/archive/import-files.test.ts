import { describe, expect, it } from "vitest";
import { FileSystemError } from "../../errors.ts";
import { MemoryFileSystem } from "../memory-file-system.ts";
import { MemoryStorage } from "../memory-storage.ts";
import { compress } from "./compression.ts";
import { exportZip } from "./export-files.ts";
import { importFiles, type ImportFilesOptions } from "./import-files.ts";
import { archiveSource } from "./import-source.ts";
import { type TarEntry, writeTar } from "./tar-format.ts";
import { type NewZipEntry, writeZip } from "./zip-format.ts";

type Member = Partial<TarEntry> & { name: string; text?: string };

const WHEN = Date.UTC(2026, 0, 2, 3, 4, 6);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const blob = (bytes: Uint8Array): Blob => new Blob([bytes.slice()]);

const tarOf = (members: readonly Member[]): Uint8Array =>
  writeTar(
    members.map(({ text = "", ...member }) => ({
      type: "file",
      mode: 0o644,
      mtimeMs: WHEN,
      content: bytesOf(text),
      target: "",
      ...member,
    })),
  );
const zipOf = (members: readonly Member[]): Promise<Uint8Array> =>
  writeZip(
    members.map(({ name, text, target, type, mode = 0o644, content }): NewZipEntry => ({
      name,
      mode,
      mtimeMs: WHEN,
      isSymlink: type === "symlink",
      bytes: content ?? bytesOf(target ?? text ?? ""),
    })),
  );
const kinds: Record<string, (members: readonly Member[]) => Promise<Uint8Array>> = {
  tar: async (members) => tarOf(members),
  "tar.gz": (members) => compress(tarOf(members), "gzip"),
  zip: zipOf,
};

/** A workspace with an existing file, which no import may touch. */
function newWorkspace(fs = new MemoryFileSystem({ files: { "/work/kept": "kept", "/tmp/": "" } })) {
  const platform = { fs, storage: new MemoryStorage() };
  async function tree(path = "/"): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const { name, type } of await fs.readdir(path)) {
      const below = `${path === "/" ? "" : path}/${name}`;
      if (type === "directory") {
        found[`${below}/`] = "";
        Object.assign(found, await tree(below));
      } else if (type === "symlink") found[below] = `-> ${await fs.readlink(below)}`;
      else found[below] = new TextDecoder().decode(await fs.readFile(below));
    }
    return found;
  }
  return {
    fs,
    take: (archive: Uint8Array, options: Partial<ImportFilesOptions> = {}, name = "box.zip") =>
      importFiles(platform, archiveSource(blob(archive), name), {
        ...options,
        ...(options.as === undefined ? { into: options.into ?? "/work" } : { as: options.as }),
      } as ImportFilesOptions),
    tree,
  };
}
const before = { "/tmp/": "", "/work/": "", "/work/kept": "kept" };

describe.each(Object.entries(kinds))("a %s", (_kind, pack) => {
  it("is imported completely, with modes, times, empty folders and links", async () => {
    const { fs, take, tree } = newWorkspace();
    const long = `${"deep/".repeat(30)}file.txt`;
    const result = await take(
      await pack([
        { name: "app/", type: "directory" },
        { name: "app/empty/", type: "directory" },
        { name: "app/run.sh", text: "#!/bin/sh\n", mode: 0o755 },
        { name: "app/link", type: "symlink", target: "run.sh" },
        { name: `app/${long}`, text: "é" },
      ]),
      { into: "/work" },
    );
    expect(result).toEqual({ files: 2, bytes: 12, paths: ["/work/app"], skipped: [] });
    expect(await tree()).toMatchObject({
      ...before,
      "/work/app/empty/": "",
      "/work/app/run.sh": "#!/bin/sh\n",
      "/work/app/link": "-> run.sh",
      [`/work/app/${long}`]: "é",
    });
    expect(await fs.stat("/work/app/run.sh")).toMatchObject({ mode: 0o755, mtimeMs: WHEN });
  });

  it("gets a free name, in its own folder when it has several top-level entries", async () => {
    const { take, tree } = newWorkspace();
    const many = await pack([
      { name: "kept", text: "1" },
      { name: "./b", text: "2" },
    ]);
    const one = await pack([{ name: "kept", text: "3" }]);
    expect((await take(many, {}, "my.files.tar.gz")).paths).toEqual(["/work/my.files"]);
    expect((await take(one)).paths).toEqual(["/work/kept-2"]);
    expect((await take(one, { as: "/new/place" })).paths).toEqual(["/new/place"]);
    expect(await tree()).toEqual({
      ...before,
      "/new/": "",
      "/new/place/": "",
      "/new/place/kept": "3",
      "/work/kept-2": "3",
      "/work/my.files/": "",
      "/work/my.files/b": "2",
      "/work/my.files/kept": "1",
    });
    const nested = await pack([{ name: "top/a", text: "4" }]);
    await take(nested, { as: "/other" });
    expect(await tree("/other")).toEqual({ "/other/a": "4" });
    await expect(take(one, { as: "/work" })).rejects.toMatchObject({ code: "ENOTEMPTY" });
    expect((await tree())["/tmp/.import/"]).toBeUndefined();
  });

  it.each<[string, Member[]]>([
    ["a name with ..", [{ name: "a/../../evil", text: "x" }]],
    ["a name that begins above", [{ name: "../evil", text: "x" }]],
    ["an absolute name", [{ name: "/work/kept", text: "x" }]],
    [
      "a file below a link",
      [
        { name: "a", type: "symlink", target: "." },
        { name: "a/kept", text: "x" },
      ],
    ],
    [
      "a link in the place of a folder",
      [
        { name: "a/b", text: "x" },
        { name: "a", type: "symlink", target: "/work" },
      ],
    ],
    [
      "a link that stands there twice",
      [
        { name: "a", type: "symlink", target: "b" },
        { name: "a", type: "symlink", target: "c" },
      ],
    ],
    [
      "a file and a folder of one name",
      [
        { name: "a", text: "x" },
        { name: "a/b", text: "y" },
      ],
    ],
    ["folders without end", [{ name: `${"d/".repeat(120)}x`, text: "x" }]],
  ])("with %s is refused, without leftovers", async (_what, members) => {
    const { take, tree } = newWorkspace();
    const archive = await pack([{ name: "good", text: "good" }, ...members]);
    await expect(take(archive)).rejects.toMatchObject({
      name: "ImportError",
      code: "UNSAFE_NAME",
      category: "user",
    });
    expect(await tree()).toEqual(before);
  });

  it("keeps inner links, and omits and reports those that lead outside", async () => {
    const { take, tree } = newWorkspace();
    const { skipped } = await take(
      await pack([
        { name: "p/d/e/file", text: "1" },
        { name: "p/inside", type: "symlink", target: "d/./e/../e/file" },
        { name: "p/d/e/up", type: "symlink", target: "../.." },
        { name: "p/circle", type: "symlink", target: "circle" },
        { name: "p/nowhere", type: "symlink", target: "not/there" },
        { name: "p/out", type: "symlink", target: "../../work/kept" },
        { name: "p/root", type: "symlink", target: "/work" },
        // A link whose danger is hidden: `up` leads two folders up.
        { name: "p/d/e/trick", type: "symlink", target: "up/../../kept" },
        { name: "p/second", type: "symlink", target: "root/kept" },
      ]),
    );
    expect(skipped.map(({ path }) => path).toSorted()).toEqual([
      "p/d/e/trick",
      "p/out",
      "p/root",
      "p/second",
    ]);
    expect(
      Object.entries(await tree("/work/p")).filter(([, text]) => text.startsWith("->")),
    ).toEqual([
      ["/work/p/circle", "-> circle"],
      ["/work/p/d/e/up", "-> ../.."],
      ["/work/p/inside", "-> d/./e/../e/file"],
      ["/work/p/nowhere", "-> not/there"],
    ]);
  });

  it("is limited in number, total bytes and bytes per file", async () => {
    const { take, tree } = newWorkspace();
    const zeros = { name: "zeros", content: new Uint8Array(3_000_000) };
    const bomb = await pack([zeros, { ...zeros, name: "more" }]);
    for (const [limits, code] of [
      [{ maxBytes: 4_000_000 }, "TOO_LARGE"],
      [{ maxFileBytes: 2_000_000 }, "TOO_LARGE"],
      [{ maxEntries: 1 }, "TOO_MANY_ENTRIES"],
    ] as const) {
      await expect(take(bomb, { limits })).rejects.toMatchObject({ name: "ImportError", code });
      expect(await tree()).toEqual(before);
    }
    expect((await take(bomb)).bytes).toBe(6_000_000);
  });

  it("that is truncated or damaged is refused, without leftovers", async () => {
    const { take, tree } = newWorkspace();
    const noise = crypto.getRandomValues(new Uint8Array(20_000));
    const archive = await pack([
      { name: "a", text: "a".repeat(3000) },
      { name: "b", content: noise },
    ]);
    await expect(take(archive.subarray(0, 15_000))).rejects.toMatchObject({ code: "DAMAGED" });
    const flipped = archive.slice();
    flipped.fill(0x55, 10, 400);
    await expect(take(flipped)).rejects.toMatchObject({ code: "DAMAGED" });
    expect(await tree()).toEqual(before);
  });

  it("is imported without excluded entries, which do not count against limits", async () => {
    const { take, tree } = newWorkspace();
    const archive = await pack([
      { name: "p/a", text: "1" },
      { name: "p/node_modules/b/c", content: new Uint8Array(2_000_000) },
      { name: "p/node_modules/d", text: "2" },
    ]);
    const result = await take(archive, {
      leavesOut: (path) => path.endsWith("node_modules"),
      limits: { maxBytes: 1_900_000, maxEntries: 1500 },
    });
    expect(result.skipped.map(({ path }) => path)).toEqual(["p/node_modules"]);
    expect(await tree("/work/p")).toEqual({ "/work/p/a": "1" });
  });
});

/** The member `name` of a tar as another type. */
function retyped(tar: Uint8Array, name: string, flag: string): Uint8Array {
  const bytes = tar.slice();
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    const head = bytes.subarray(at, at + 512);
    if (!new TextDecoder().decode(head).startsWith(`${name}\0`)) continue;
    head[156] = flag.charCodeAt(0);
    head.fill(32, 148, 156);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.set(bytesOf(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  }
  return bytes;
}

it("copies hard links, and skips devices", async () => {
  const { take, tree } = newWorkspace();
  let tar = tarOf([{ name: "a", text: "1" }, { name: "again", target: "a" }, { name: "device" }]);
  tar = retyped(retyped(tar, "again", "1"), "device", "3");
  const { files, skipped } = await take(tar);
  expect([files, skipped]).toEqual([
    2,
    [{ path: "device", reason: expect.stringContaining("neither") }],
  ]);
  expect(await tree("/work/box")).toEqual({ "/work/box/a": "1", "/work/box/again": "1" });

  for (const target of ["/work/kept", "../../work/kept", "later"]) {
    const hostile = retyped(
      tarOf([
        { name: "x", text: "" },
        { name: "l", target },
      ]),
      "l",
      "1",
    );
    await expect(take(hostile)).rejects.toMatchObject({ code: "UNSAFE_NAME" });
  }
});

it("does not trust the sizes that a zip declares", async () => {
  const { take, tree } = newWorkspace();
  const zip = await zipOf([{ name: "z", content: new Uint8Array(5_000_000) }]);
  const view = new DataView(zip.buffer, zip.byteOffset);
  const central = zip.length - 22 - 47;
  expect(view.getUint32(central + 24, true)).toBe(5_000_000);
  view.setUint32(central + 24, 10, true);
  await expect(take(zip, { limits: { maxBytes: 1000 } })).rejects.toMatchObject({
    code: "DAMAGED",
  });
  view.setUint16(central + 8, 1, true);
  await expect(take(zip)).rejects.toThrow("encrypted");
  expect(await tree()).toEqual(before);
});

it.each([
  ["text", "hello, this is no archive", "DAMAGED"],
  ["nothing", "", "DAMAGED"],
  ["a rar", "Rar!\u001a\u0007", "NOT_AN_ARCHIVE"],
])("that is %s is refused with the supported formats", async (_what, text, code) => {
  const { take } = newWorkspace();
  await expect(take(bytesOf(text))).rejects.toMatchObject({
    code,
    hint: expect.stringContaining(".tar.gz"),
  });
});

describe("when it fails half-way", () => {
  class FullFiles extends MemoryFileSystem {
    room = 1;
    canRemove = true;
    override async writeFile(path: string, data: Uint8Array | string): Promise<void> {
      if (this.room-- <= 0) throw new FileSystemError("ENOSPC", path);
      return super.writeFile(path, data);
    }
    override async remove(path: string, options?: { recursive?: boolean; force?: boolean }) {
      if (!this.canRemove && this.room <= 0) throw new FileSystemError("EIO", path);
      return super.remove(path, options);
    }
  }
  const full = () => new FullFiles({ files: { "/work/kept": "kept", "/tmp/": "" } });
  const archive = tarOf(Array.from({ length: 9 }, (_, n) => ({ name: `${n}`, text: "x" })));

  it("removes its files when space runs out, or reports the remains", async () => {
    const { take, tree, fs } = newWorkspace(full());
    await expect(take(archive)).rejects.toMatchObject({ name: "FileSystemError", code: "ENOSPC" });
    expect(await tree()).toEqual(before);
    Object.assign(fs, { room: 1, canRemove: false });
    await expect(take(archive)).rejects.toMatchObject({
      code: "LEFT_OVER",
      hint: expect.stringContaining("/tmp/.import"),
    });
    Object.assign(fs, { room: 100 });
    await take(archive);
    expect(await tree()).not.toHaveProperty("/tmp/.import/");
  });

  it("stops on abort, and clears the remains of a closed tab", async () => {
    const { take, tree, fs } = newWorkspace();
    const controller = new AbortController();
    const { signal } = controller;
    const stopped = take(archive, { signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(await tree()).toEqual(before);
    await fs.mkdir("/tmp/.import/half", { recursive: true });
    await fs.writeFile("/tmp/.import/half/file", "x");
    await take(archive);
    expect(await tree("/tmp")).toEqual({});
    expect(Object.keys(await tree("/work/box"))).toHaveLength(9);
  });
});

describe("an export", () => {
  it("restores the same tree, links and modes included", async () => {
    const { fs, take, tree } = newWorkspace();
    await fs.mkdir("/work/a/empty", { recursive: true });
    await fs.writeFile("/work/a/run", "x".repeat(5000));
    await fs.chmod("/work/a/run", 0o755);
    await fs.utimes("/work/a/run", WHEN);
    await fs.symlink("a/run", "/work/link");
    const zip = new Uint8Array(
      await new Response(
        exportZip(fs, "/work", { leavesOut: (path) => path === "kept" }),
      ).arrayBuffer(),
    );
    await take(zip, { as: "/copy" });
    expect(await tree("/copy")).toEqual({
      "/copy/a/": "",
      "/copy/a/empty/": "",
      "/copy/a/run": "x".repeat(5000),
      "/copy/link": "-> a/run",
    });
    expect(await fs.stat("/copy/a/run")).toMatchObject({ mode: 0o755, mtimeMs: WHEN });
  });

  it("reads each file on demand, and none after the reader has left", async () => {
    const read: string[] = [];
    class Watched extends MemoryFileSystem {
      override async readFile(path: string): Promise<Uint8Array> {
        read.push(path);
        return super.readFile(path);
      }
    }
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`/w/${n}`, "text"]));
    const reader = exportZip(new Watched({ files }), "/w").getReader();
    for (let part = 0; part < 9; part++) await reader.read();
    expect(read).toEqual(["/w/0", "/w/1"]);
    await reader.cancel();
    expect(read).toHaveLength(2);
  });

  it("fails with the file system's error", async () => {
    const reader = exportZip(new MemoryFileSystem(), "/nothing").getReader();
    await expect(reader.read()).rejects.toMatchObject({ code: "ENOENT" });
  });
});
