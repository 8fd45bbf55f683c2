import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { expect, it } from "vitest";
import { PROTECTED, protectedGit, WITH_BRANCH } from "../../support/git/protected-git.ts";
import { COMMITS, gitSession } from "../../support/git/git-session.ts";

/** Nothing is stored outside of the directory. */
const confined = (root: string) => ({
  root,
  home: "/home/user",
  storageDirectory: join(root, "sessions"),
});

it("git of Node's virtual shell works on the repository of a session", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "robota-git-")));
  try {
    await using platform = nodePlatform({ ...confined(root), shell: "virtual" });
    await platform.fs.mkdir("/w");
    const outputs = await gitSession({ platform, cwd: "/w", lines: COMMITS, mode: "default" });
    expect(outputs.join("\n")).not.toMatch(/EACCES|not permitted|fatal/);
    expect(outputs.at(-1)).toMatch(/^"second\\nfirst\\n *[4-9]/);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

it("git of Node's virtual shell writes protected files that a person approved, and no others", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "robota-git-")));
  try {
    await using platform = nodePlatform({ ...confined(root), shell: "virtual" });
    await platform.fs.mkdir("/w");
    await platform.shell.exec(WITH_BRANCH, { cwd: "/w" });
    const lines = ["git checkout ci", "git checkout ci"];
    const mode = "bypassPermissions";
    const { told, requests } = await protectedGit({ platform, cwd: "/w", lines, mode });
    expect(told[0]).toMatch(/is protected/);
    expect(requests.map(({ preview }) => preview?.protectedFiles)).toEqual([
      PROTECTED.map((name) => `/w/${name}`),
    ]);
    expect(told[1]).not.toMatch(/protected|error|fatal/);
    for (const name of PROTECTED) await platform.fs.stat(`/w/${name}`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
