import { expect, it } from "vitest";
import { memoryPlatform } from "../../../testing/memory-platform.ts";
import { explainOnFiles } from "../../paths/explain-on-files.ts";
import { isReadOnly } from "../read-only-commands.ts";
import { repositoryPrograms } from "./repository-programs.ts";

const CONFIG = "[core]\n\tbare = false\n";
const EVIL = "[core]\n\tfsmonitor = ./x\n";

async function found(files: Record<string, string | Uint8Array>, directory = "/w") {
  const { fs } = memoryPlatform({ files: { "/w/": "", ...files } });
  const programs = await repositoryPrograms(fs, directory);
  return programs.map(({ file, setting }) => `${file} ${setting}`);
}

/** An index of version 2 that names these directories as repositories of their own. */
function indexOf(links: readonly string[], extension?: string): Uint8Array {
  const encoder = new TextEncoder();
  const entries = links.map((link) => {
    const name = encoder.encode(link);
    const entry = new Uint8Array((62 + name.length + 8) & ~7);
    new DataView(entry.buffer).setUint32(24, 0o160000);
    new DataView(entry.buffer).setUint16(60, name.length);
    entry.set(name, 62);
    return entry;
  });
  const head = new Uint8Array(12);
  head.set(encoder.encode("DIRC"));
  new DataView(head.buffer).setUint32(4, 2);
  new DataView(head.buffer).setUint32(8, links.length);
  const more = extension === undefined ? [] : [encoder.encode(`${extension}\0\0\0\0`)];
  const parts = [head, ...entries, ...more, new Uint8Array(20)];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

it("finds nothing in an ordinary repository, or without one", async () => {
  expect(await found({})).toEqual([]);
  expect(await found({ "/w/.git/config": CONFIG, "/w/.git/index": indexOf([]) })).toEqual([]);
});

it("examines every repository above, and the targets of `.git` files", async () => {
  expect(await found({ "/w/a/b": "", "/w/.git/config": EVIL }, "/w/a")).toEqual([
    "/w/.git/config core.fsmonitor",
  ]);
  expect(await found({ "/w/HEAD": "", "/w/config": EVIL })).toEqual(["/w/config core.fsmonitor"]);
  const far = { "/w/.git": "gitdir: ../far\n", "/far/config.worktree": EVIL };
  expect(await found(far)).toEqual(["/far/config.worktree core.fsmonitor"]);
  const shared = { ...far, "/far/config.worktree": CONFIG, "/far/commondir": "../common\n" };
  expect(await found({ ...shared, "/common/config": EVIL })).toEqual([
    "/common/config core.fsmonitor",
  ]);
  expect(await found({ "/w/.git": "what?" })).toEqual(["/w/.git can't be read"]);
});

it("examines the paths in the index, and doubts an incomplete index", async () => {
  const top = { "/w/.git/config": CONFIG, "/w/sub/.git/config": EVIL };
  expect(await found({ ...top, "/w/.git/index": indexOf(["sub"]) })).toEqual([
    "/w/sub/.git/config core.fsmonitor",
  ]);
  expect(await found({ ...top, "/w/.git/index": indexOf([]) })).toEqual([]);
  expect(await found({ ...top, "/w/.git/index": indexOf(["../w/sub"]) })).toEqual([
    "../w/sub leads out of the repository",
  ]);
  const doubted = ["/w/.git/index can't be read for certain"];
  for (const index of [indexOf(["sub"], "link"), indexOf(["sub"]).subarray(0, 50), "DIRC"])
    expect(await found({ ...top, "/w/.git/index": index })).toEqual(doubted);
});

it("knows the hooks that reading starts, in any hooks directory", async () => {
  const hooks = { "/w/.git/config": "[core]\n\thooksPath = my/hooks\n" };
  expect(await found({ ...hooks, "/w/my/hooks/pre-commit": "" })).toEqual([]);
  expect(await found({ ...hooks, "/w/my/hooks/post-index-change": "" })).toEqual([
    "/w/my/hooks/post-index-change post-index-change",
  ]);
  expect(await found({ "/w/.git/config": "[core]\n\thooksPath = ~/hooks\n" })).toEqual([
    "/w/.git/config core.hookspath",
  ]);
});

it("asks only when the shell starts programs", async () => {
  const { fs } = memoryPlatform({ files: { "/w/.git/config": EVIL } });
  const judge = async (startsPrograms: boolean) => {
    const context = { cwd: "/w", roots: ["/w"], isReadOnly, startsPrograms };
    const { decision } = await explainOnFiles(
      fs,
      "Bash",
      { command: "git status" },
      "default",
      {},
      context,
    );
    return decision;
  };
  expect(await judge(false)).toBe("auto");
  expect(await judge(true)).toBe("approve");
});
