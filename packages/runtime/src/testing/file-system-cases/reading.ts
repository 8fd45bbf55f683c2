import type { FileSystem } from "../../ports/file-system.ts";
import {
  allBytes,
  assert,
  assertBytes,
  assertEqual,
  assertRejects,
  type CaseTable,
} from "../contract.ts";

/** Every operation that needs something to be at `path`, by name. */
function lookups(fs: FileSystem, path: string): [string, () => Promise<unknown>][] {
  return [
    ["readFile", () => fs.readFile(path)],
    ["stat", () => fs.stat(path)],
    ["lstat", () => fs.lstat(path)],
    ["readdir", () => fs.readdir(path)],
    ["readlink", () => fs.readlink(path)],
    ["realpath", () => fs.realpath(path)],
    ["chmod", () => fs.chmod(path, 0o600)],
    ["utimes", () => fs.utimes(path, 1)],
    ["remove", () => fs.remove(path)],
    ["rename", () => fs.rename(path, "/elsewhere")],
  ];
}

async function allReject(fs: FileSystem, path: string, code: string): Promise<void> {
  for (const [name, operation] of lookups(fs, path)) {
    try {
      await assertRejects(operation(), code, "FileSystemError");
    } catch (cause) {
      throw new Error(`${name}: ${String(cause)}`, { cause });
    }
  }
}

export const readingCases: CaseTable<FileSystem> = {
  "begins with an empty root": async (fs) => {
    assertEqual(await fs.readdir("/"), []);
    assertEqual((await fs.stat("/")).type, "directory");
  },

  "reads back every byte that was written": async (fs) => {
    await fs.writeFile("/file", allBytes());
    assertBytes(await fs.readFile("/file"), allBytes());
  },

  "writes a text as UTF-8, without a byte order mark and with one that is there": async (fs) => {
    await fs.writeFile("/file", "héllo 🌍\r\n\0end");
    assertBytes(await fs.readFile("/file"), "héllo 🌍\r\n\0end");
    await fs.writeFile("/file", "\uFEFFmark");
    assertBytes(await fs.readFile("/file"), Uint8Array.of(0xef, 0xbb, 0xbf, 109, 97, 114, 107));
  },

  "reads an empty file as no bytes": async (fs) => {
    await fs.writeFile("/empty", "");
    assertBytes(await fs.readFile("/empty"), "");
    assertEqual((await fs.stat("/empty")).size, 0);
  },

  "gives each reader a buffer of its own": async (fs) => {
    await fs.writeFile("/file", "before");
    (await fs.readFile("/file")).fill(0);
    assertBytes(await fs.readFile("/file"), "before");
  },

  "finds nothing at a missing path": (fs) => allReject(fs, "/nope", "ENOENT"),

  "finds nothing below a missing directory": (fs) => allReject(fs, "/nope/below", "ENOENT"),

  "refuses to go through a file as if it were a directory": async (fs) => {
    await fs.writeFile("/file", "x");
    await allReject(fs, "/file/below", "ENOTDIR");
    await allReject(fs, "/file/far/below", "ENOTDIR");
  },

  "names the path in its errors": async (fs) => {
    const error = await fs.readFile("/some/where").then(
      () => undefined,
      (reason: unknown) => reason as { path?: unknown; message: string },
    );
    assert(error, "expected a rejection");
    assert(
      typeof error.path === "string" && error.path.endsWith("/some/where"),
      `the error's path is ${String(error.path)}`,
    );
    assert(error.message.startsWith("ENOENT"), `the message is ${error.message}`);
  },

  "refuses to read a directory": async (fs) => {
    await fs.mkdir("/directory");
    await assertRejects(fs.readFile("/directory"), "EISDIR", "FileSystemError");
    await assertRejects(fs.readFile("/"), "EISDIR", "FileSystemError");
  },

  "reports the type and size of a path's target": async (fs) => {
    await fs.mkdir("/directory");
    await fs.writeFile("/file", "héllo");
    await fs.symlink("file", "/link");
    const facts = async (of: Promise<{ type: string; size: number }>) => {
      const { type, size } = await of;
      return [type, size];
    };
    assertEqual(await facts(fs.stat("/directory")), ["directory", 0]);
    assertEqual(await facts(fs.stat("/file")), ["file", 6]);
    assertEqual(await facts(fs.lstat("/file")), ["file", 6]);
    assertEqual(await facts(fs.stat("/link")), ["file", 6]);
    assertEqual(await facts(fs.lstat("/link")), ["symlink", 4]);
  },

  "reads many files at once as it reads each, except those it leaves out": async (fs) => {
    await fs.mkdir("/d");
    for (let index = 0; index < 40; index++) await fs.writeFile(`/d/${index}`, `text ${index}`);
    await fs.writeFile("/empty", "");
    await fs.writeFile("/large", "x".repeat(2000));
    await fs.symlink("d/0", "/link");
    await fs.symlink("d", "/way");
    const sound = [...Array.from({ length: 40 }, (_, index) => `/d/${index}`), "/empty"].reverse();
    const others = ["/large", "/link", "/way/1", "/d", "/nope", "/d/1/nope", "/d/../d/1", "x"];
    const found = await fs.readMany?.([...others, ...sound], 1000);
    if (!found) return;
    assertEqual(found.length, others.length + sound.length);
    for (const [index, path] of others.entries())
      assertEqual([path, found[index]], [path, undefined]);
    for (const [index, path] of sound.entries()) {
      const bytes = found[others.length + index];
      if (bytes) assertBytes(bytes, await fs.readFile(path));
    }
    const [before] = (await fs.readMany?.(["/d/7"], 1000)) ?? [];
    await fs.appendFile("/d/7", " and more");
    await fs.writeFile("/d/8", "replaced");
    const [longer, other] = (await fs.readMany?.(["/d/7", "/d/8"], 1000)) ?? [];
    if (before) assertBytes(before, "text 7");
    if (longer) assertBytes(longer, "text 7 and more");
    if (other) assertBytes(other, "replaced");
  },
};
