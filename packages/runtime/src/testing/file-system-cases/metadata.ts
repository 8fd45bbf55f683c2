import type { FileSystem } from "../../ports/file-system.ts";
import { assert, assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

const LONG_AGO = 1_000_000_000_123;

async function assertTime(fs: FileSystem, path: string, expected: number): Promise<void> {
  const { mtimeMs } = await fs.stat(path);
  // Hosts that keep seconds as a fraction are off by less than a millisecond.
  assert(Math.abs(mtimeMs - expected) < 1, `${path}: expected ${expected}, got ${mtimeMs}`);
}

export const metadataCases: CaseTable<FileSystem> = {
  "gives a new file mode 644": async (fs) => {
    await fs.writeFile("/file", "x");
    assertEqual((await fs.stat("/file")).mode, 0o644);
  },

  "keeps the sticky bit until it is cleared": async (fs) => {
    await fs.mkdir("/d");
    await fs.chmod("/d", 0o1777);
    await fs.writeFile("/d/file", "x");
    await fs.rename("/d", "/e");
    assertEqual([(await fs.stat("/e")).mode, (await fs.lstat("/e")).mode], [0o1777, 0o1777]);
    await fs.chmod("/e", 0o1700);
    assertEqual((await fs.stat("/e")).mode, 0o1700);
    await fs.chmod("/e", 0o755);
    assertEqual((await fs.stat("/e")).mode, 0o755);
  },

  "sets permissions and the sticky bit and no other bits": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.mkdir("/d");
    await fs.chmod("/file", 0o100755);
    await fs.chmod("/d", 0o46700);
    assertEqual((await fs.stat("/file")).mode, 0o755);
    assertEqual((await fs.stat("/d")).mode, 0o700);
    assertEqual((await fs.stat("/d")).type, "directory");
  },

  "keeps the mode of a file that is replaced or appended to": async (fs) => {
    await fs.writeFile("/script", "one");
    await fs.chmod("/script", 0o751);
    await fs.writeFile("/script", "two");
    assertEqual((await fs.stat("/script")).mode, 0o751);
    await fs.appendFile("/script", "three");
    assertEqual((await fs.stat("/script")).mode, 0o751);
  },

  "sets the time of a file, of a directory, and back to the epoch": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.mkdir("/d");
    await fs.utimes("/file", LONG_AGO);
    await fs.utimes("/d", LONG_AGO);
    await assertTime(fs, "/file", LONG_AGO);
    await assertTime(fs, "/d", LONG_AGO);
    await fs.utimes("/file", 0);
    await assertTime(fs, "/file", 0);
  },

  "sets times before 1970, and refuses invalid times": async (fs) => {
    await fs.writeFile("/file", "x");
    for (const time of [-1000, -1500.5, -86_400_000_000]) {
      await fs.utimes("/file", time);
      assertEqual((await fs.stat("/file")).mtimeMs, time);
    }
    for (const time of [NaN, Infinity, -Infinity]) {
      await assertRejects(fs.utimes("/file", time), "EINVAL", "FileSystemError");
    }
  },

  "updates the time of a file on each write and append": async (fs) => {
    await fs.writeFile("/file", "x");
    for (const change of [
      () => fs.writeFile("/file", "y"),
      () => fs.appendFile("/file", "z"),
      () => fs.writeFile("/file", "yz"),
    ]) {
      await fs.utimes("/file", LONG_AGO);
      await change();
      const { mtimeMs } = await fs.stat("/file");
      assert(mtimeMs > LONG_AGO + 1, `the time stayed at ${mtimeMs}`);
    }
  },

  "keeps the time on reads, listings and changes of mode": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.utimes("/file", LONG_AGO);
    await fs.readFile("/file");
    await fs.readdir("/");
    await fs.chmod("/file", 0o600);
    await assertTime(fs, "/file", LONG_AGO);
  },

  "keeps bytes and size when mode and time change": async (fs) => {
    await fs.writeFile("/file", "content");
    await fs.chmod("/file", 0o640);
    await fs.utimes("/file", LONG_AGO);
    assertBytes(await fs.readFile("/file"), "content");
    assertEqual((await fs.stat("/file")).size, 7);
  },

  "sets mode and time of a symlink's target": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.symlink("file", "/link");
    await fs.chmod("/link", 0o600);
    await fs.utimes("/link", LONG_AGO);
    assertEqual((await fs.stat("/file")).mode, 0o600);
    await assertTime(fs, "/file", LONG_AGO);
    assertEqual((await fs.lstat("/link")).type, "symlink");
  },

  "reports mode and time as permissions and plain numbers": async (fs) => {
    await fs.writeFile("/file", "x");
    for (const path of ["/file", "/"]) {
      const stat = await fs.stat(path);
      assert((stat.mode & ~0o1777) === 0, `${path}: mode is ${stat.mode.toString(8)}`);
      assert(Number.isFinite(stat.mtimeMs), `${path}: time is ${stat.mtimeMs}`);
    }
  },
};
