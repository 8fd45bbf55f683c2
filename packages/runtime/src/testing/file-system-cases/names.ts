import type { FileSystem } from "../../ports/file-system.ts";
import { assertBytes, assertEqual, assertRejects, type CaseTable, toBytes } from "../contract.ts";

const ODD_NAMES = [
  " ",
  " leading and trailing ",
  "-rf",
  "--help",
  "...",
  "..hidden",
  ".env",
  "a\nb",
  "a\tb\r",
  "back\\slash",
  "co:lon",
  "do$lar `tick` ;&|<>",
  "per%20cent%",
  "quo'te\"s",
  "star*?[x]{y}",
  "ti~lde",
  "#hash!",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "con",
  "nul.txt",
  "日本語.md",
  "한글",
  "עברית",
  "🌍👩‍👩‍👧",
  "\u202Eright-to-left",
  "zero\u200Bwidth",
  "\u0001control",
];
const COMPOSED = "caf\u00e9";
const DECOMPOSED = "cafe\u0301";

export const nameCases: CaseTable<FileSystem> = {
  "keeps unusual names unchanged": async (fs) => {
    for (const name of ODD_NAMES) {
      await fs.writeFile(`/${name}`, name);
      await fs.appendFile(`/${name}`, "!");
    }
    assertEqual(
      (await fs.readdir("/")).map((entry) => entry.name),
      ODD_NAMES.toSorted(),
    );
    for (const name of ODD_NAMES) assertBytes(await fs.readFile(`/${name}`), `${name}!`, name);
    for (const name of ODD_NAMES) await fs.remove(`/${name}`);
    assertEqual(await fs.readdir("/"), []);
  },

  "keeps unusual names of directories and symlinks unchanged": async (fs) => {
    for (const name of ODD_NAMES) {
      await fs.mkdir(`/${name}`);
      await fs.symlink(`../${name}`, `/${name}/${name}`);
      assertEqual(await fs.readlink(`/${name}/${name}`), `../${name}`);
      assertEqual(await fs.realpath(`/${name}/${name}`), `/${name}`);
      await fs.rename(`/${name}/${name}`, `/${name}/moved`);
      await fs.remove(`/${name}`, { recursive: true });
    }
    assertEqual(await fs.readdir("/"), []);
  },

  "keeps composed and decomposed names apart": async (fs) => {
    await fs.writeFile(`/${COMPOSED}`, "composed");
    await fs.writeFile(`/${DECOMPOSED}`, "decomposed");
    assertEqual(
      (await fs.readdir("/")).map((entry) => entry.name),
      [DECOMPOSED, COMPOSED],
    );
    assertBytes(await fs.readFile(`/${COMPOSED}`), "composed");
    assertBytes(await fs.readFile(`/${DECOMPOSED}`), "decomposed");
  },

  "stores a lone surrogate as U+FFFD": async (fs) => {
    await fs.writeFile("/half\ud800", "x");
    await fs.symlink("half\udc00", "/link");
    assertEqual((await fs.readdir("/"))[0], { name: "half\ufffd", type: "file" });
    for (const path of ["/half\ud800", "/half\ufffd", "/link"])
      assertBytes(await fs.readFile(path), "x");
    assertEqual(await fs.realpath("/link"), "/half\ufffd");
  },

  "keeps upper and lower case apart": async (fs) => {
    await fs.writeFile("/README", "upper");
    await fs.writeFile("/readme", "lower");
    assertBytes(await fs.readFile("/README"), "upper");
    assertBytes(await fs.readFile("/readme"), "lower");
    await assertRejects(fs.stat("/ReadMe"), "ENOENT", "FileSystemError");
  },

  "takes names of 255 bytes": async (fs) => {
    for (const name of ["a".repeat(255), "é".repeat(127), "🌍".repeat(63)]) {
      await fs.writeFile(`/${name}`, "x");
      await fs.writeFile(`/${name}`, "y");
      assertBytes(await fs.readFile(`/${name}`), "y");
      await fs.remove(`/${name}`);
      await fs.mkdir(`/${name}/${name}`, { recursive: true });
      assertEqual(await fs.readdir(`/${name}`), [{ name, type: "directory" }]);
      await fs.remove(`/${name}`, { recursive: true });
    }
  },

  "refuses names of more than 255 bytes": async (fs) => {
    await fs.writeFile("/file", "x");
    for (const name of ["a".repeat(256), "é".repeat(128), "🌍".repeat(64)]) {
      await assertRejects(fs.writeFile(`/${name}`, "x"), "ENAMETOOLONG", "FileSystemError");
      await assertRejects(fs.appendFile(`/${name}`, "x"), "ENAMETOOLONG", "FileSystemError");
      await assertRejects(fs.mkdir(`/${name}`), "ENAMETOOLONG", "FileSystemError");
      await assertRejects(fs.symlink("x", `/${name}`), "ENAMETOOLONG", "FileSystemError");
      await assertRejects(fs.rename("/file", `/${name}`), "ENAMETOOLONG", "FileSystemError");
    }
    assertEqual(await fs.readdir("/"), [{ name: "file", type: "file" }]);
  },

  "refuses paths of more than 4,095 bytes, and makes nothing on the way to them": async (fs) => {
    await fs.writeFile("/file", "x");
    for (const name of ["a", "abcdefg", "é".repeat(100), "🌍".repeat(50)]) {
      const path = `/${name}`.repeat(4_100 / (toBytes(name).length + 1) + 1);
      for (const use of [
        () => fs.readFile(path),
        () => fs.writeFile(path, "x"),
        () => fs.appendFile(path, "x"),
        () => fs.stat(path),
        () => fs.lstat(path),
        () => fs.readdir(path),
        () => fs.mkdir(path),
        () => fs.mkdir(path, { recursive: true }),
        () => fs.remove(path),
        () => fs.remove(path, { recursive: true, force: true }),
        () => fs.rename("/file", path),
        () => fs.rename(path, "/file"),
        () => fs.symlink("x", path),
        () => fs.symlink(path, "/link"),
        () => fs.readlink(path),
        () => fs.realpath(path),
        () => fs.chmod(path, 0o700),
        () => fs.utimes(path, 0),
      ])
        await assertRejects(use(), "ENAMETOOLONG", "FileSystemError");
    }
    assertEqual(await fs.readdir("/"), [{ name: "file", type: "file" }]);
    // Only the normalised path counts.
    assertBytes(await fs.readFile(`${"/./d/..".repeat(2_000)}//file`), "x");
  },

  "takes paths of 3,900 bytes": async (fs) => {
    const directory = `/${"d".repeat(194)}`.repeat(19);
    const path = `${directory}/${"f".repeat(194)}`;
    await fs.mkdir(directory, { recursive: true });
    await fs.writeFile(path, "x");
    await fs.symlink(path, "/link");
    assertBytes(await fs.readFile("/link"), "x");
    assertEqual(await fs.realpath("/link"), path);
  },

  "refuses a NUL in a path": async (fs) => {
    await assertRejects(fs.writeFile("/a\0b", "x"), "EINVAL", "FileSystemError");
    await assertRejects(fs.readFile("/a\0b"), "EINVAL", "FileSystemError");
    await assertRejects(fs.mkdir("/a\0b"), "EINVAL", "FileSystemError");
    await assertRejects(fs.mkdir("/c/a\0b", { recursive: true }), "EINVAL", "FileSystemError");
    await assertRejects(fs.writeFile("/a\0b/../c", "x"), "EINVAL", "FileSystemError");
    await assertRejects(fs.symlink("a\0b", "/c"), "EINVAL", "FileSystemError");
    await assertRejects(fs.symlink("a\0b", "/no/c"), "EINVAL", "FileSystemError");
    await assertRejects(fs.rename("/c", "/a\0b"), "EINVAL", "FileSystemError");
    assertEqual(await fs.readdir("/"), []);
  },

  "resolves dots and repeated slashes before anything else": async (fs) => {
    await fs.mkdir("/a/b", { recursive: true });
    await fs.writeFile("//a/./b//file", "x");
    assertBytes(await fs.readFile("/a/b/../b/file"), "x");
    assertBytes(await fs.readFile("/a/b/file/"), "x");
    assertBytes(await fs.readFile("/never/made/../../a/b/file"), "x");
    assertEqual((await fs.stat("/a/b/.")).type, "directory");
    assertEqual((await fs.readdir("/a/b/..")).length, 1);
    await fs.remove("/a/b/../b/./file");
    assertEqual(await fs.readdir("/a/b/"), []);
  },

  "takes .. by name, not through a symlink": async (fs) => {
    await fs.mkdir("/far/away", { recursive: true });
    await fs.symlink("far/away", "/link");
    await fs.writeFile("/file", "near");
    await fs.writeFile("/far/file", "far");
    assertBytes(await fs.readFile("/link/../file"), "near");
  },
};
