import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeFileSystem, nodePlatform } from "@robota/adapters-node";
import type { WithFiles, WithHost } from "./host.ts";

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

const machine: WithFiles = (_now, run) =>
  withHost(async ({ cwd }) => {
    const top = join(cwd, "top");
    const directory = join(top, "1/2/3/4/5/6/7/8");
    await run({
      fs: new NodeFileSystem(),
      top,
      directory,
      hasClock: false,
      reopen: async () => new NodeFileSystem(),
    });
  });

const withinRoot: WithFiles = (_now, run) =>
  withHost(async ({ cwd: root }) => {
    const open = (): NodeFileSystem => new NodeFileSystem({ root });
    await run({
      fs: open(),
      top: "/",
      directory: "/",
      hasClock: false,
      reopen: async () => open(),
    });
  });

export const fileSystems: Record<string, WithFiles> = {
  "the machine's files": machine,
  "a directory of the machine as the root": withinRoot,
};
