import type { FileSystem } from "../../ports/file-system.ts";
import { assert, assertBytes, assertEqual, patternBytes, type CaseTable } from "../contract.ts";

export function largeCases(sizes: {
  largeFileBytes: number;
  manyEntries: number;
}): CaseTable<FileSystem> {
  const { largeFileBytes, manyEntries } = sizes;
  return {
    "keeps a large file, replaces it and appends to it": async (fs) => {
      await fs.writeFile("/large", patternBytes(largeFileBytes));
      assertEqual((await fs.stat("/large")).size, largeFileBytes);
      assertBytes(await fs.readFile("/large"), patternBytes(largeFileBytes));

      await fs.appendFile("/large", "the end");
      const tail = (await fs.readFile("/large")).subarray(-8);
      assertBytes(tail.subarray(1), "the end");
      assertEqual(tail[0], (largeFileBytes - 1) % 251);

      await fs.writeFile("/large", "small");
      assertBytes(await fs.readFile("/large"), "small");
    },

    "keeps many entries in one directory": async (fs) => {
      await fs.mkdir("/many");
      const names = Array.from({ length: manyEntries }, (_, index) => `entry-${index}`);
      for (let start = 0; start < names.length; start += 100) {
        const batch = names.slice(start, start + 100);
        await Promise.all(batch.map((name) => fs.writeFile(`/many/${name}`, name)));
      }
      const listed = (await fs.readdir("/many")).map((entry) => entry.name);
      const sorted = names.toSorted();
      assertEqual(listed.length, manyEntries);
      assert(
        listed.every((name, index) => name === sorted[index]),
        "the listing is not sorted by code units",
      );
      assertBytes(await fs.readFile(`/many/${names.at(-1)}`), names.at(-1)!);

      await fs.rename("/many", "/moved");
      await fs.remove("/moved", { recursive: true });
      assertEqual(await fs.readdir("/"), []);
    },

    "appends a thousand times to one file": async (fs) => {
      for (let index = 0; index < 1000; index++) await fs.appendFile("/log", `line ${index}\n`);
      const lines = new TextDecoder().decode(await fs.readFile("/log")).split("\n");
      assertEqual([lines.length, lines[0], lines[999]], [1001, "line 0", "line 999"]);
    },
  };
}
