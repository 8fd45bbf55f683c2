import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import { it } from "vitest";
import { expectRatio } from "../../support/time/own-time.ts";

const FILES = 2_000;
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [`/code/d${at % 40}/f${at}`, `content ${at}\n`]),
);
const paths = Object.keys(files);

it.each(["readFile", "stat", "lstat", "realpath"] as const)(
  "an overlay's %s takes no longer than its base's on unchanged files",
  async (kind) => {
    const base = new MemoryFileSystem({ files });
    const overlay = new OverlayFileSystem(base);
    await overlay.writeFile("/code/d0/f0", "changed\n");
    const readAll = async (fs: MemoryFileSystem | OverlayFileSystem): Promise<void> => {
      for (const path of paths) await fs[kind](path);
    };
    await expectRatio(
      1.2,
      () => readAll(overlay),
      () => readAll(base),
    );
  },
);
