import { beforeAll, expect, it } from "vitest";
import { MemoryFileSystem } from "../memory-file-system.ts";
import { VirtualShell } from "@robota/shell";
import { readZip, writeZip } from "./zip-format.ts";

/** Output of Info-ZIP's `zip -fz -r` for a directory with two files, and of Python's zipfile for a stream. */
const archives = {
  infoZip:
    "UEsDBC0AAAAAAEIIYlgAAAAA//////////8CADAAZC9VVAkAA4x64mW2xgJrdXgLAAEEAAAAAAQAAAAAAQAQAAAAAAAAAAAAAAAAAAAAAABQSw" +
    "MELQAAAAAAQghiWAAAAAD//////////wYAMABkL3N1Yi9VVAkAA4x64mW2xgJrdXgLAAEEAAAAAAQAAAAAAQAQAAAAAAAAAAAAAAAAAAAAAABQ" +
    "SwMELQAAAAAAQghiWIMW3Iz//////////wcAMABkL3N1Yi9iVVQJAAOMeuJljHriZXV4CwABBAAAAAAEAAAAAAEAEAABAAAAAAAAAAEAAAAAAA" +
    "AAeFBLAwQtAAAACABCCGJYAIhZC///////////BwAwAGQvYS50eHRVVAkAA4x64mWMeuJldXgLAAEEAAAAAAQAAAAAAQAQABgAAAAAAAAACwAA" +
    "AAAAAADLSM3JyVfIQCe5AFBLAQIeAwoAAAAAAEIIYlgAAAAAAAAAAP////8CACQAAAAAAAAAEADtQQAAAABkL1VUBQADjHriZXV4CwABBAAAAA" +
    "AEAAAAAAEACAAAAAAAAAAAAFBLAQIeAwoAAAAAAEIIYlgAAAAAAAAAAP////8GACQAAAAAAAAAEADtQVAAAABkL3N1Yi9VVAUAA4x64mV1eAsA" +
    "AQQAAAAABAAAAAABAAgAAAAAAAAAAABQSwECHgMtAAAAAABCCGJYgxbcjAEAAAD/////BwAkAAAAAAABAAAApIGkAAAAZC9zdWIvYlVUBQADjH" +
    "riZXV4CwABBAAAAAAEAAAAAAEACAABAAAAAAAAAFBLAQIeAy0AAAAIAEIIYlgAiFkLCwAAAP////8HACQAAAAAAAEAAACkgfoAAABkL2EudHh0" +
    "VVQFAAOMeuJldXgLAAEEAAAAAAQAAAAAAQAIABgAAAAAAAAAUEsGBiwAAAAAAAAAHgMtAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAF4BAAAAAA" +
    "AAWgEAAAAAAABQSwYHAAAAALgCAAAAAAAAAQAAAFBLBQYAAAAABAAEAF4BAAD/////AAA=",
  python:
    "UEsDBC0AAAAIAEIIYlim4V8O//////////8HABQAb25lLnR4dAEAEAAbAAAAAAAAAA8AAAAAAAAAKy4pSk3MTU1RKEZncAEAUEsBAi0DLQAAAA" +
    "gAQghiWKbhXw4PAAAAGwAAAAcAAAAAAAAAAAAAAIABAAAAAG9uZS50eHRQSwUGAAAAAAEAAQA1AAAASAAAAAAA",
};
const bytesOf = (name: keyof typeof archives): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(archives[name]), (letter) => letter.charCodeAt(0));
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `d/f${at}`,
    mode: 0o640,
    mtimeMs: Date.UTC(2024, 2, 2),
    isSymlink: false,
    bytes: new TextEncoder().encode(at === 0 ? "abc".repeat(20) : ""),
  }));

async function read(archive: Uint8Array<ArrayBuffer>): Promise<[string, number, string][]> {
  const found = await readZip(new Blob([archive]));
  return Promise.all(
    found.map(async (entry) => {
      const text = new TextDecoder().decode(await entry.content());
      return [entry.name, entry.mode, text] satisfies [string, number, string];
    }),
  );
}

// Programs are modules, which test runners load slowly.
beforeAll(async () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  await shell.exec("unzip none; zip", { cwd: "/" });
});

it("reads zip64 archives of other programs", async () => {
  expect(await read(bytesOf("infoZip"))).toEqual([
    ["d/", 0o755, ""],
    ["d/sub/", 0o755, ""],
    ["d/sub/b", 0o644, "x"],
    ["d/a.txt", 0o644, "hello hello hello hello\n"],
  ]);
  const fs = new MemoryFileSystem({
    files: { "/py.zip": bytesOf("python"), "/fz.zip": bytesOf("infoZip") },
  });
  const { stdout, stderr } = await new VirtualShell({ fs }).exec(
    "unzip -p py.zip; unzip -q fz.zip && cat d/a.txt && zip -q fz.zip py.zip && unzip -Z1 fz.zip",
    { cwd: "/" },
  );
  expect([stdout, stderr]).toEqual([
    "streamed streamed streamed\nhello hello hello hello\nd/\nd/sub/\nd/sub/b\nd/a.txt\npy.zip\n",
    "",
  ]);
});

it("writes zip64 on request, and reads it back", async () => {
  const written = await writeZip(entries(3), { isZip64: true });
  expect(await read(new Uint8Array(written))).toEqual([
    ["d/f0", 0o640, "abc".repeat(20)],
    ["d/f1", 0o640, ""],
    ["d/f2", 0o640, ""],
  ]);
});

it("enforces declared sizes, and refuses archives that exceed the data", async () => {
  const whole = new Uint8Array(await writeZip(entries(2), { isZip64: true }));
  const changed = (change: (view: DataView) => void): Uint8Array<ArrayBuffer> => {
    const copy = whole.slice();
    change(new DataView(copy.buffer));
    return copy;
  };
  const end = whole.length - 22;
  const [locator, record] = [end - 20, end - 76];
  const most = 2n ** 64n - 1n;
  const damaged = [
    // Changes the position of the end record, the number of entries, and the beginning of the directory.
    changed((view) => view.setBigUint64(locator + 8, most, true)),
    changed((view) => view.setBigUint64(locator + 8, 3n, true)),
    changed((view) => view.setBigUint64(record + 32, 2n ** 40n, true)),
    changed((view) => view.setBigUint64(record + 32, most, true)),
    changed((view) => view.setBigUint64(record + 48, 2n ** 40n, true)),
    changed((view) => view.setBigUint64(record + 48, most, true)),
    // The size and the place of the last entry, whose extra field is before the record.
    changed((view) => view.setBigUint64(record - 24, most, true)),
    changed((view) => view.setBigUint64(record - 8, 2n ** 50n, true)),
    changed((view) => view.setUint16(record - 26, 8, true)),
    changed((view) => view.setUint16(record - 28, 7, true)),
  ];
  for (const archive of damaged) await expect(read(archive)).rejects.toThrow(Error);
});
