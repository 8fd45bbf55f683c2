import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

const FILES = 2_000;
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [`/code/d${at % 40}/f${at}`, `content ${at}\n`]),
);
const paths = Object.keys(files);

/** A ratio of times in the same rounds, the best of them: noise only makes it larger. Usual is a quarter of the limit. */
it.each(["readFile", "stat", "lstat", "realpath"] as const)(
  "an overlay's %s takes no longer than its base's on unchanged files",
  async (kind) => {
    const base = new MemoryFileSystem({ files });
    const overlay = new OverlayFileSystem(base);
    await overlay.writeFile("/code/d0/f0", "changed\n");
    const time = async (fs: MemoryFileSystem | OverlayFileSystem): Promise<number> => {
      const started = performance.now();
      for (const path of paths) await fs[kind](path);
      return performance.now() - started;
    };
    const ratios: number[] = [];
    for (let round = 0; round < 8; round++) ratios.push((await time(overlay)) / (await time(base)));
    expect(Math.min(...ratios)).toBeLessThan(1.2);
  },
);
