import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, toBytes, type CaseTable } from "../contract.ts";

export const writingCases: CaseTable<FileSystem> = {
  "replaces the whole file, by a shorter one too": async (fs) => {
    await fs.writeFile("/file", "a longer text");
    await fs.writeFile("/file", "short");
    assertBytes(await fs.readFile("/file"), "short");
    assertEqual((await fs.stat("/file")).size, 5);
  },

  "keeps no reference to the buffer it wrote": async (fs) => {
    const data = toBytes("before");
    await fs.writeFile("/file", data);
    data.fill(0);
    assertBytes(await fs.readFile("/file"), "before");

    const more = toBytes(" after");
    await fs.appendFile("/file", more);
    more.fill(0);
    assertBytes(await fs.readFile("/file"), "before after");
  },

  "writes only the part of a buffer that a view shows": async (fs) => {
    const whole = toBytes("left middle right");
    await fs.writeFile("/file", whole.subarray(5, 11));
    assertBytes(await fs.readFile("/file"), "middle");
    await fs.appendFile("/file", whole.subarray(11));
    assertBytes(await fs.readFile("/file"), "middle right");
  },

  "creates no parents": async (fs) => {
    await assertRejects(fs.writeFile("/no/file", "x"), "ENOENT", "FileSystemError");
    await assertRejects(fs.appendFile("/no/file", "x"), "ENOENT", "FileSystemError");
    assertEqual(await fs.readdir("/"), []);
  },

  "refuses to write over a directory and leaves it alone": async (fs) => {
    await fs.mkdir("/directory");
    await fs.writeFile("/directory/file", "x");
    await assertRejects(fs.writeFile("/directory", "x"), "EISDIR", "FileSystemError");
    await assertRejects(fs.appendFile("/directory", "x"), "EISDIR", "FileSystemError");
    assertBytes(await fs.readFile("/directory/file"), "x");
  },

  "refuses to write below a file": async (fs) => {
    await fs.writeFile("/file", "x");
    await assertRejects(fs.writeFile("/file/below", "y"), "ENOTDIR", "FileSystemError");
    await assertRejects(fs.appendFile("/file/below", "y"), "ENOTDIR", "FileSystemError");
    assertBytes(await fs.readFile("/file"), "x");
  },

  "leaves nothing beside the file it wrote": async (fs) => {
    await fs.writeFile("/file", "one");
    await fs.writeFile("/file", "two");
    await fs.appendFile("/file", "three");
    assertEqual(await fs.readdir("/"), [{ name: "file", type: "file" }]);
  },

  "appends at the end, byte for byte": async (fs) => {
    await fs.writeFile("/file", Uint8Array.of(0, 255));
    await fs.appendFile("/file", Uint8Array.of(10, 128));
    await fs.appendFile("/file", "é");
    assertBytes(await fs.readFile("/file"), Uint8Array.of(0, 255, 10, 128, 0xc3, 0xa9));
  },

  "creates the file that it appends to": async (fs) => {
    await fs.appendFile("/new", "one");
    assertBytes(await fs.readFile("/new"), "one");
    assertEqual((await fs.stat("/new")).mode, 0o644);
  },

  "creates a file by appending nothing": async (fs) => {
    await fs.appendFile("/new", "");
    assertEqual(await fs.readdir("/"), [{ name: "new", type: "file" }]);
  },

  "starts anew when a file is removed and written again": async (fs) => {
    await fs.writeFile("/file", "first");
    await fs.chmod("/file", 0o600);
    await fs.remove("/file");
    await fs.appendFile("/file", "second");
    assertBytes(await fs.readFile("/file"), "second");
    assertEqual((await fs.stat("/file")).mode, 0o644);
  },
};
