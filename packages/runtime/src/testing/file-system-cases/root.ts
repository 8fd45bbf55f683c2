import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable } from "../contract.ts";

export const rootCases: CaseTable<FileSystem> = {
  "stays at the root when .. goes above it": async (fs) => {
    await fs.writeFile("/../../file", "x");
    assertBytes(await fs.readFile("/../file"), "x");
    assertEqual(await fs.realpath("/../.."), "/");
    await fs.symlink("../../../file", "/link");
    assertBytes(await fs.readFile("/link"), "x");
  },

  "never removes the root": async (fs) => {
    await fs.writeFile("/file", "x");
    await assertRejects(fs.remove("/"), "EBUSY", "FileSystemError");
    await assertRejects(
      fs.remove("/.", { recursive: true, force: true }),
      "EBUSY",
      "FileSystemError",
    );
    await assertRejects(
      fs.remove("/x/..", { recursive: true, force: true }),
      "EBUSY",
      "FileSystemError",
    );
    assertBytes(await fs.readFile("/file"), "x");
  },

  "never renames the root, nor anything to it": async (fs) => {
    await fs.writeFile("/file", "x");
    await fs.mkdir("/d");
    const names = [
      ["/", "/"],
      ["/", "/d/below"],
      ["/", "/no/where"],
      ["/file", "/"],
    ] as const;
    for (const [from, to] of names)
      await assertRejects(fs.rename(from, to), "EBUSY", "FileSystemError");
    assertBytes(await fs.readFile("/file"), "x");
  },

  "refuses to make, write or link the root": async (fs) => {
    await assertRejects(fs.mkdir("/"), "EEXIST", "FileSystemError");
    await assertRejects(fs.symlink("x", "/"), "EEXIST", "FileSystemError");
    await assertRejects(fs.writeFile("/", "x"), "EISDIR", "FileSystemError");
    await assertRejects(fs.appendFile("/", "x"), "EISDIR", "FileSystemError");
    await assertRejects(fs.readlink("/"), "EINVAL", "FileSystemError");
  },

  "sets mode and time of the root": async (fs) => {
    await fs.chmod("/", 0o700);
    await fs.utimes("/", 1_000_000);
    const { mode, mtimeMs } = await fs.stat("/");
    assertEqual([mode, mtimeMs], [0o700, 1_000_000]);
  },
};
