import { fileSystems } from "#host";
import type { FileStat, FileSystem } from "@robota/runtime";
import { MemoryFileSystem, OverlayFileSystem } from "@robota/runtime/virtual";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rebase } from "../../../packages/runtime/src/testing/file-system-cases/rebase.ts";
import { treeOf } from "../../support/tree-of.ts";
import type { HostFiles } from "../../hosts/host.ts";
import {
  anyPath,
  anyTarget,
  type Operation,
  outcome,
  randomOperation,
  withoutTimes,
} from "../../support/random-operations.ts";

const RUNS = 6;
/** Later than every time that is set, so that on a host with a clock of its own the two can be told apart. */
const START = Date.UTC(2026, 0, 1);

const operation = randomOperation({
  path: anyPath,
  text: fc.constantFrom("", "x", "\u00e9", "longer text"),
  target: anyTarget,
  // The owner, whom the tests run as, keeps all rights.
  mode: fc.constantFrom(0o700, 0o744, 0o755, 0o777, 0o100755),
  time: fc.constantFrom(0, 1000, 1234.5, -1500),
});
const operations = fc.array(operation, { maxLength: 14 });
const steps = fc.array(fc.tuple(operation, fc.array(anyPath, { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 30,
});

/** The part of a stat that hosts agree on: a machine has its own clock and its own sizes of directories. */
function facts<Stat extends FileStat>(stat: Stat, { hasClock }: HostFiles): object {
  // Files in memory have no owner.
  const { type, size, mode, mtimeMs, uid: _, ...rest } = stat;
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

/** Every operation that resolves a path without changing anything. */
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
  const straight = paths.filter((at) => fs.isCanonicalPath?.(at));
  expect(straight.filter((at) => !model.isCanonicalPath!(at))).toEqual([]);
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

/** Runs `check` for many random operations, each time on an empty host and on its model in memory. */
function onHost<Input>(
  host: string,
  input: fc.Arbitrary<Input>,
  check: (pair: Pair, input: Input) => Promise<void>,
): Promise<void> {
  let now = START;
  const tick = (): void => {
    now += 1000;
  };
  return fileSystems[host]!(
    () => now,
    (files) =>
      fc.assert(
        fc.asyncProperty(input, fc.boolean(), async (given, isReopened) => {
          const model = new MemoryFileSystem({ now: () => now });
          for (const either of [files.fs, model]) await begin(either, files, now);
          await check({ files, model, tick, now: () => now }, given);
          const expected = await tree(files.fs, files);
          if (!isReopened) return;
          files.fs = await files.reopen();
          expect(await tree(files.fs, files)).toEqual(expected);
        }),
        { numRuns: RUNS },
      ),
  );
}

interface Pair {
  files: HostFiles;
  model: MemoryFileSystem;
  tick: () => void;
  now: () => number;
}

async function agree(
  each: readonly Operation[],
  fs: FileSystem,
  { files, model, tick }: Pair,
): Promise<void> {
  const [real, ideal] = [within(fs, files), within(model, files)];
  for (const operation of each) {
    tick();
    expect(await outcome(operation, real)).toEqual(await outcome(operation, ideal));
  }
  expect(await tree(fs, files)).toEqual(await tree(model, files));
}

describe.each(Object.keys(fileSystems))("files in %s", (host) => {
  it("behave as those in memory under random operations, also after a reload", () =>
    onHost(host, steps, async (pair, each) => {
      const { files, model } = pair;
      const [real, ideal] = [within(files.fs, files), within(model, files)];
      for (const [step, paths] of each) {
        pair.tick();
        expect(await outcome(step, real)).toEqual(await outcome(step, ideal));
        await compareQuickLooks(real, ideal, paths);
        for (const look of paths.flatMap((at) => looks(at, files)))
          expect(await outcome(look, real)).toEqual(await outcome(look, ideal));
      }
      expect(await tree(files.fs, files)).toEqual(await tree(model, files));
    }));

  it("are shown through an overlay, and equal it after a commit", () =>
    onHost(host, fc.tuple(operations, operations), async (pair, [before, during]) => {
      const { files, model, now } = pair;
      await agree(before, files.fs, pair);
      const overlay = new OverlayFileSystem(files.fs, { now });
      await agree(during, overlay, pair);
      await overlay.commit();
      expect(withoutTimes(await treeOf(files.fs, files.top))).toEqual(
        withoutTimes(await treeOf(model, files.top)),
      );
    }));

  it("are stored as shown when many are changed concurrently", () =>
    onHost(host, operations, async ({ files }, each) => {
      const real = within(files.fs, files);
      await Promise.all(each.map((operation) => outcome(operation, real)));
    }));
});
