import { fileSystems } from "#host";
import type { FileStat, FileSystem } from "@robota/runtime";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rebase } from "../../packages/runtime/src/testing/file-system-cases/rebase.ts";
import { treeOf } from "../../packages/runtime/src/testing/tree-of.ts";
import type { HostFiles } from "../hosts/host.ts";
import { type Operation, outcome, plainPath, randomOperation } from "../random-operations.ts";

const RUNS = 10;
const LONG = "n".repeat(255);
/** Later than every time that is set, so that on a host with a clock of its own the two can be told apart. */
const START = Date.UTC(2026, 0, 1);

const oddName = fc.constantFrom(
  "caf\u00e9",
  "cafe\u0301",
  LONG,
  `${LONG}n`,
  "\u00e9".repeat(127),
  "\u00e9".repeat(128),
  "nul\0nul",
  ".",
  "..",
  "",
  "...",
  "__proto__",
);
const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom("a", "b", "c") }, oddName);
const oddPath = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/", "//", "/."))
  .map(([names, end]) => `/${names.join("/")}${end}`);
const path = fc.oneof(
  { weight: 5, arbitrary: plainPath },
  { weight: 2, arbitrary: oddPath },
  fc.constantFrom("/", "", "/..", "//a", "/a//b", "/a/./b", "/a/..", "/a/b/../c"),
);
const target = fc.oneof(
  { weight: 2, arbitrary: path },
  fc.constantFrom("a", "b", "b/c", "../a", "../b", "../b/c", "../../a", "c/../a", "nowhere"),
  fc.constantFrom(
    ".",
    "..",
    "./a",
    "a/",
    "b/.",
    "b/..",
    "a//b",
    "nowhere/",
    "nowhere/..",
    "c/./",
    LONG,
  ),
);
const operation = randomOperation({
  path,
  text: fc.constantFrom("", "x", "\u00e9", "longer text"),
  target,
  // Whoever the tests run as may go on.
  mode: fc.constantFrom(0o700, 0o744, 0o755, 0o777, 0o100755),
  time: fc.constantFrom(0, 1000, 1234.5, -1500),
});
const steps = fc.array(fc.tuple(operation, fc.array(path, { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 30,
});

/** What a stat tells, as far as the host has to agree: a machine has a clock of its own and its own use of directories. */
function facts<Stat extends FileStat>(stat: Stat, { hasClock }: HostFiles): object {
  const { type, size, mode, mtimeMs, ...rest } = stat;
  if (hasClock) return stat;
  const time = type === "file" && (mtimeMs < START / 2 ? mtimeMs : "now");
  return { type, size, mode, time, ...rest };
}

async function tree(fs: FileSystem, files: HostFiles): Promise<Record<string, object>> {
  const found = Object.entries(await treeOf(fs, files.top));
  return Object.fromEntries(found.map(([at, entry]) => [at, facts(entry, files)]));
}

function within(fs: FileSystem, { directory }: HostFiles): FileSystem {
  return directory === "/" ? fs : rebase(fs, directory);
}

async function begin(fs: FileSystem, { top, directory }: HostFiles, now: number): Promise<void> {
  if (top !== "/") await fs.remove(top, { recursive: true, force: true });
  else
    for (const each of await fs.readdir("/")) await fs.remove(`/${each.name}`, { recursive: true });
  await fs.mkdir(directory, { recursive: true });
  await fs.chmod(top, 0o755);
  await fs.utimes(top, now);
}

/** What a path leads to, in every way of looking. */
function looks(at: string, files: HostFiles): Operation[] {
  return [
    [`stat ${at}`, async (fs) => facts(await fs.stat(at), files)],
    [`lstat ${at}`, async (fs) => facts(await fs.lstat(at), files)],
    [`read ${at}`, async (fs) => [...(await fs.readFile(at))]],
    [`readlink ${at}`, (fs) => fs.readlink(at)],
    [`realpath ${at}`, (fs) => fs.realpath(at)],
    [`list ${at}`, (fs) => fs.readdir(at)],
  ];
}

async function opened(fs: FileSystem, at: string): Promise<unknown> {
  await using file = await fs.open!(at);
  return [file.path, file.size, [...(await file.read(1, 3))]];
}

/** Whatever a file system offers to be quick may only tell what is true. */
async function compareQuickLooks(
  fs: FileSystem,
  model: FileSystem,
  paths: readonly string[],
): Promise<void> {
  if (fs.open) {
    for (const at of paths) {
      const open: Operation = [`open ${at}`, (either) => opened(either, at)];
      expect(await outcome(open, fs)).toEqual(await outcome(open, model));
    }
  }
  const straight = paths.filter((at) => fs.isStraight?.(at));
  expect(straight.filter((at) => !model.isStraight!(at))).toEqual([]);
  const contents = await fs.readMany?.(paths, 4);
  for (const [index, bytes] of contents?.entries() ?? []) {
    const at = paths[index]!;
    if (!bytes) continue;
    expect([at, [...bytes], true]).toEqual([
      at,
      [...(await model.readFile(at))],
      bytes.length <= 4,
    ]);
    expect(await model.realpath(at)).toBe(at);
  }
}

describe.each(Object.keys(fileSystems))("files in %s", (host) => {
  it("behave as those in memory, whatever is done to them, also when they are opened anew", async () => {
    let now = START;
    await fileSystems[host]!(
      () => now,
      async (files) => {
        let { fs } = files;
        await fc.assert(
          fc.asyncProperty(steps, fc.boolean(), async (each, isReopened) => {
            const model = new MemoryFileSystem({ now: () => now });
            for (const either of [fs, model]) await begin(either, files, now);
            const [real, ideal] = [within(fs, files), within(model, files)];
            for (const [step, paths] of each) {
              now += 1000;
              expect(await outcome(step, real)).toEqual(await outcome(step, ideal));
              await compareQuickLooks(real, ideal, paths);
              for (const look of paths.flatMap((at) => looks(at, files)))
                expect(await outcome(look, real)).toEqual(await outcome(look, ideal));
            }
            const expected = await tree(model, files);
            expect(await tree(fs, files)).toEqual(expected);
            if (!isReopened) return;
            fs = await files.reopen();
            expect(await tree(fs, files)).toEqual(expected);
          }),
          { numRuns: RUNS },
        );
      },
    );
  });
});
