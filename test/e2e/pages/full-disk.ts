import { browserPlatform } from "@robota/adapters-web";
import { type FullDiskReport, liveThroughFullDisk } from "../../support/recovery/full-disk.ts";

/** A session that works until this site may store no more, and goes on when it may. */
declare global {
  /** `makeRoom` is the test's, which raises the quota. */
  var makeRoom: () => Promise<void>;
  var liveHere: () => Promise<FullDiskReport>;
}

const cwd = "/workspace";

globalThis.liveHere = () =>
  liveThroughFullDisk({
    async open() {
      const platform = browserPlatform({ workspace: "full" });
      await platform.fs.mkdir(cwd, { recursive: true });
      return platform;
    },
    cwd,
    answerLength: 1_000_000,
    makeRoom: () => globalThis.makeRoom(),
  });
