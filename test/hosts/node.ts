import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import type { WithHost } from "./host.ts";

/** Real files, real processes, in a directory of its own. */
export const withHost: WithHost = async (run) => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "robota-host-")));
  const cwd = join(home, "workspace");
  await mkdir(cwd);
  const platform = nodePlatform({ home });
  try {
    await run({ platform, cwd });
  } finally {
    await platform.dispose();
    await rm(home, { recursive: true, force: true });
  }
};
