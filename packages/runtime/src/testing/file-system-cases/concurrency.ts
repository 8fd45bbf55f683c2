import type { FileSystem } from "../../ports/file-system.ts";
import { assert, assertBytes, assertEqual, outcomes, type CaseTable } from "../contract.ts";

const count = (length: number): number[] => Array.from({ length }, (_, index) => index);

export const concurrencyCases: CaseTable<FileSystem> = {
  "keeps the order of appends that were not awaited": async (fs) => {
    const parts = count(100).map((index) => `${index},`);
    await Promise.all(parts.map((part) => fs.appendFile("/log", part)));
    assertBytes(await fs.readFile("/log"), parts.join(""));
  },

  "shows a polling reader either the old or the new bytes": async (fs) => {
    const versions = ["a", "b", "c"].map((letter, index) => letter.repeat(200_000 * (index + 1)));
    await fs.writeFile("/file", versions[0]!);
    let isWriting = true;
    const write = async () => {
      for (const index of count(30)) await fs.writeFile("/file", versions[index % 3]!);
      isWriting = false;
    };
    const read = async () => {
      let reads = 0;
      while (isWriting || reads === 0) {
        const text = new TextDecoder().decode(await fs.readFile("/file"));
        assert(versions.includes(text), `read ${text.length} bytes of more than one version`);
        const { size } = await fs.stat("/file");
        assert(size % 200_000 === 0 && size > 0, `saw a size of ${size}`);
        reads++;
      }
    };
    await Promise.all([write(), read(), read()]);
  },

  "lets one of many parallel writes of a path win, whole": async (fs) => {
    const versions = count(50).map((index) => `${index} `.repeat(1000 + index));
    await Promise.all(versions.map((text) => fs.writeFile("/file", text)));
    const text = new TextDecoder().decode(await fs.readFile("/file"));
    assert(versions.includes(text), "the file holds a mixture");
    assertEqual(await fs.readdir("/"), [{ name: "file", type: "file" }]);
  },

  "keeps parallel writes of different files apart": async (fs) => {
    await Promise.all(count(100).map((index) => fs.writeFile(`/${index}`, `content ${index}`)));
    for (const index of count(100)) assertBytes(await fs.readFile(`/${index}`), `content ${index}`);
    assertEqual((await fs.readdir("/")).length, 100);
  },

  "makes one directory for many parallel callers": async (fs) => {
    await Promise.all(count(20).map(() => fs.mkdir("/a/b/c", { recursive: true })));
    const { values, codes } = await outcomes(count(20).map(() => fs.mkdir("/a/b/c/d")));
    assertEqual([values.length, codes], [1, Array(19).fill("EEXIST")]);
  },

  "gives a file to one of many parallel renames": async (fs) => {
    await fs.writeFile("/file", "x");
    const { values, codes } = await outcomes(count(20).map((to) => fs.rename("/file", `/${to}`)));
    assertEqual([values.length, codes], [1, Array(19).fill("ENOENT")]);
    const [entry, ...others] = await fs.readdir("/");
    assertEqual(others, []);
    assertBytes(await fs.readFile(`/${entry!.name}`), "x");
  },

  "creates a symlink for one of many parallel callers": async (fs) => {
    const { values, codes } = await outcomes(count(20).map((to) => fs.symlink(`${to}`, "/link")));
    assertEqual([values.length, codes], [1, Array(19).fill("EEXIST")]);
  },

  "never shows a moment without the file while renames replace it": async (fs) => {
    await fs.writeFile("/file", "0");
    let isRenaming = true;
    const replace = async () => {
      for (const index of count(30)) {
        await fs.writeFile("/next", `${index}`);
        await fs.rename("/next", "/file");
      }
      isRenaming = false;
    };
    const read = async () => {
      do assert((await fs.readFile("/file")).length > 0, "the file was empty");
      while (isRenaming);
    };
    await Promise.all([replace(), read()]);
    assertBytes(await fs.readFile("/file"), "29");
  },

  "continues after failed operations": async (fs) => {
    const { codes } = await outcomes<unknown>([
      fs.appendFile("/no/file", "x"),
      fs.readFile("/file"),
      fs.appendFile("/no/file", "y"),
    ]);
    assertEqual(codes, ["ENOENT", "ENOENT", "ENOENT"]);
    await fs.mkdir("/no");
    await fs.appendFile("/no/file", "z");
    assertBytes(await fs.readFile("/no/file"), "z");
  },
};
