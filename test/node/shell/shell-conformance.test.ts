import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { conformsToBash } from "../../conformance/suite.ts";

conformsToBash("The virtual shell over a directory of the machine", async (run) => {
  const root = await mkdtemp(join(tmpdir(), "robota-shell-"));
  const platform = nodePlatform({ root, home: "/home/user" });
  try {
    await run(platform);
  } finally {
    await platform.dispose();
    await rm(root, { recursive: true, force: true });
  }
});
