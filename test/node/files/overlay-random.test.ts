import { type FileSystem, FileSystemError } from "@robota/runtime";
import {
  type FileSystemChange,
  MemoryFileSystem,
  OverlayFileSystem,
} from "@robota/runtime/virtual";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type TreeEntry, treeOf } from "../../support/tree-of.ts";
import {
  anyPath,
  anyTarget,
  type Operation,
  outcome,
  plainPath,
  randomOperation,
  withoutTimes,
} from "../../support/random-operations.ts";

const operation = randomOperation({
  path: fc.oneof({ weight: 4, arbitrary: plainPath }, anyPath),
  // "1" to "3" are there from the start, so that some writes repeat the old content.
  text: fc.constantFrom("", "x", "y", "1", "2", "3", "longer text"),
  target: fc.oneof(plainPath, fc.constantFrom("a", "../b", "nowhere", "c/a"), anyTarget),
  mode: fc.constantFrom(0o600, 0o644, 0o755, 0o500, 0o400),
  time: fc.constantFrom(0, 1000, 2000),
});
const operations = fc.array(operation, { maxLength: 14 });
const now = () => 5000;

async function filled(before: readonly Operation[]): Promise<MemoryFileSystem> {
  const fs = new MemoryFileSystem({
    files: { "/a/a": "1", "/a/b/c": "2", "/b": "3", "/c/": "" },
    now,
  });
  for (const each of before) await outcome(each, fs);
  return fs;
}

type Tree = Record<string, TreeEntry>;

function differing(before: Tree, after: Tree): string[] {
  const [one, other] = [withoutTimes(before), withoutTimes(after)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((at) => JSON.stringify(one[at]) !== JSON.stringify(other[at]))
    .sort();
}

/** Refuses the change that comes after `allowed` others, before or after it takes effect. */
function refusing(fs: FileSystem, allowed: number, takesEffect: boolean): FileSystem {
  let count = 0;
  const change = async (at: string, work: () => Promise<void>): Promise<void> => {
    if (count++ !== allowed) return work();
    if (takesEffect) await work();
    throw new FileSystemError("ENOSPC", at);
  };
  return {
    readFile: (at) => fs.readFile(at),
    stat: (at) => fs.stat(at),
    lstat: (at) => fs.lstat(at),
    readdir: (at) => fs.readdir(at),
    readlink: (at) => fs.readlink(at),
    realpath: (at) => fs.realpath(at),
    writeFile: (at, data) => change(at, () => fs.writeFile(at, data)),
    appendFile: (at, data) => change(at, () => fs.appendFile(at, data)),
    mkdir: (at, options) => change(at, () => fs.mkdir(at, options)),
    remove: (at, options) => change(at, () => fs.remove(at, options)),
    rename: (from, to) => change(from, () => fs.rename(from, to)),
    symlink: (to, at) => change(at, () => fs.symlink(to, at)),
    chmod: (at, bits) => change(at, () => fs.chmod(at, bits)),
    utimes: (at, mtimeMs) => change(at, () => fs.utimes(at, mtimeMs)),
  };
}

it("behaves as a plain file system, reports its changes, and leaves the base alone", () =>
  fc.assert(
    fc.asyncProperty(operations, operations, operations, async (before, during, after) => {
      const [base, model] = [await filled(before), await filled(before)];
      const untouched = await treeOf(base);
      const overlay = new OverlayFileSystem(base, { now });
      for (const each of during)
        expect(await outcome(each, overlay)).toEqual(await outcome(each, model));
      const halfway = await treeOf(model);
      expect(await treeOf(overlay)).toEqual(halfway);

      const fork = overlay.fork();
      for (const each of after)
        expect(await outcome(each, overlay)).toEqual(await outcome(each, model));
      expect(await treeOf(overlay)).toEqual(await treeOf(model));
      expect(await treeOf(fork)).toEqual(halfway);
      expect(await treeOf(base)).toEqual(untouched);

      const changes = await overlay.changes();
      const expected = differing(untouched, await treeOf(model));
      const isExpected = (change: FileSystemChange) => expected.includes(change.path);
      expect(changes.filter(isExpected).map((change) => change.path)).toEqual(expected);
      for (const { kind, before: old, after: next } of changes.filter(
        (each) => !isExpected(each),
      )) {
        expect(kind).toBe("modified");
        expect(next!.mtimeMs).not.toBe(old!.mtimeMs);
      }

      await overlay.discard();
      expect(await treeOf(overlay)).toEqual(untouched);
    }),
    { numRuns: 200 },
  ));

it("makes the base equal by a commit, also by one repeated after a failure", () =>
  fc.assert(
    fc.asyncProperty(
      operations,
      operations,
      fc.nat({ max: 12 }),
      fc.boolean(),
      async (before, during, allowed, takesEffect) => {
        const [base, model] = [await filled(before), await filled(before)];
        const overlay = new OverlayFileSystem(refusing(base, allowed, takesEffect), { now });
        for (const each of during) {
          expect(await outcome(each, overlay)).toEqual(await outcome(each, model));
        }
        const expected = withoutTimes(await treeOf(model));
        const refusal = await overlay.commit().catch((error: unknown) => error);
        if (refusal !== undefined) {
          expect(refusal).toMatchObject({ code: "ENOSPC" });
          expect(withoutTimes(await treeOf(overlay))).toEqual(expected);
          await overlay.commit();
        }
        expect(withoutTimes(await treeOf(base))).toEqual(expected);
        expect(withoutTimes(await treeOf(overlay))).toEqual(expected);
        expect(await overlay.changes()).toEqual([]);
      },
    ),
    { numRuns: 300 },
  ));

it("finds the same with and without a preceding canonical-path check", () =>
  fc.assert(
    fc.asyncProperty(operations, plainPath, async (during, asked) => {
      const [fs, model] = [await filled([]), await filled([])];
      for (const each of during) {
        if (fs.isCanonicalPath(asked)) expect(await realpathOf(model, asked)).toBe(asked);
        const read: Operation = ["read", async (either) => either.lstat(asked)];
        expect(await outcome(read, fs)).toEqual(await outcome(read, model));
        expect(await outcome(each, fs)).toEqual(await outcome(each, model));
      }
      expect(await treeOf(fs)).toEqual(await treeOf(model));
    }),
    { numRuns: 100 },
  ));

/** Where `at` leads; `at` itself when nothing is there, or not all of the way. */
async function realpathOf(fs: FileSystem, at: string): Promise<string> {
  return fs.realpath(at).catch(() => at);
}
