import * as engine from "#isomorphic-git";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../../virtual-shell.ts";
import { nodeFiles } from "./node-files.ts";

const dir = "/code/r";

/** A repository whose branch `evil` has a file at a path that no Git writes itself. */
async function withFileAt(
  ...names: string[]
): Promise<{ fs: MemoryFileSystem; shell: VirtualShell }> {
  const fs = new MemoryFileSystem({ files: { "/code/r/": "" } });
  const shell = new VirtualShell({ fs });
  await shell.exec(
    "git init -q; git config user.name A; git config user.email a@b.c; git commit -qm 1 --allow-empty",
    {
      cwd: dir,
    },
  );
  const at = { fs: nodeFiles(fs), dir, gitdir: `${dir}/.git` };
  let oid = await engine.writeBlob({ ...at, blob: new TextEncoder().encode("evil") });
  let type: "blob" | "tree" = "blob";
  for (const path of names.toReversed()) {
    const mode = type === "blob" ? "100644" : "040000";
    oid = await engine.writeTree({ ...at, tree: [{ path, oid, mode, type }] });
    type = "tree";
  }
  const author = { name: "A", email: "a@b.c", timestamp: 0, timezoneOffset: 0 };
  const commit = { message: "evil", tree: oid, parent: [], author, committer: author };
  const evil = await engine.writeCommit({ ...at, commit });
  await engine.writeRef({ ...at, ref: "refs/heads/evil", value: evil });
  return { fs, shell };
}

it.each([
  [["..", "out"]],
  [["a", "..", "..", "out"]],
  [[".git", "hooks", "post-commit"]],
  [["sub", ".GIT", "config"]],
  [["git~1", "config"]],
  [[".g\u200cit", "config"]],
  [[".git. ", "config"]],
  [["."]],
])("git checks out nothing of a tree with %j", async (names) => {
  const { fs, shell } = await withFileAt(...names);
  const { stderr, exitCode } = await shell.exec("git checkout evil", { cwd: dir });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("unsafe character sequences")]);
  expect(await fs.readdir("/code")).toHaveLength(1);
  expect(await fs.readdir(dir)).toHaveLength(1);
});

it("git checks out names that only resemble those", async () => {
  const { fs, shell } = await withFileAt(".github", "..a", ".gitignore");
  const { stderr } = await shell.exec("git checkout -q evil", { cwd: dir });
  expect(stderr).toBe("");
  expect(new TextDecoder().decode(await fs.readFile(`${dir}/.github/..a/.gitignore`))).toBe("evil");
});
