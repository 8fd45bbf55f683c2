import { type FileSystem, FileSystemError } from "@robota/runtime";
import type { TreeEntry } from "./tree-of.ts";
import * as fc from "fast-check";

/** A file system operation, with its label in a failing test. */
export type Operation = [label: string, run: (fs: FileSystem) => Promise<unknown>];

export interface OperationParts {
  path: fc.Arbitrary<string>;
  /** Contents to write. */
  text: fc.Arbitrary<string>;
  /** Targets of symlinks. */
  target: fc.Arbitrary<string>;
  mode: fc.Arbitrary<number>;
  time: fc.Arbitrary<number>;
}

// Few names, so that operations often meet each other's results.
const name = fc.constantFrom("a", "b", "c");
export const plainPath = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);

const LONG = "n".repeat(255);
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
const anyName = fc.oneof({ weight: 9, arbitrary: name }, oddName);
const oddPath = fc
  .tuple(fc.array(anyName, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/", "//", "/."))
  .map(([names, end]) => `/${names.join("/")}${end}`);
/** Paths, including unnormalised, too long and invalid ones. */
export const anyPath = fc.oneof(
  { weight: 5, arbitrary: plainPath },
  { weight: 2, arbitrary: oddPath },
  fc.constantFrom("/", "", "/..", "//a", "/a//b", "/a/./b", "/a/..", "/a/b/../c"),
);
/** Targets, including dangling and circular ones, and ones that require a directory. */
export const anyTarget = fc.oneof(
  { weight: 2, arbitrary: anyPath },
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
export function randomOperation(parts: OperationParts): fc.Arbitrary<Operation> {
  const { path, text, target, mode, time } = parts;
  return fc.oneof(
    fc.tuple(path, text).map(([p, t]): Operation => [`write ${p}`, (fs) => fs.writeFile(p, t)]),
    fc.tuple(path, text).map(([p, t]): Operation => [`append ${p}`, (fs) => fs.appendFile(p, t)]),
    fc
      .tuple(path, fc.boolean())
      .map(([p, recursive]): Operation => [
        `mkdir ${p} ${recursive}`,
        (fs) => fs.mkdir(p, { recursive }),
      ]),
    fc
      .tuple(path, fc.boolean(), fc.boolean())
      .map(([p, recursive, force]): Operation => [
        `remove ${p} ${recursive} ${force}`,
        (fs) => fs.remove(p, { recursive, force }),
      ]),
    fc.tuple(path, path).map(([p, q]): Operation => [`rename ${p} ${q}`, (fs) => fs.rename(p, q)]),
    fc.tuple(path, path).map(([p, q]): Operation => [`rename ${p} ${q}`, (fs) => fs.rename(p, q)]),
    fc.tuple(target, path).map(([t, p]): Operation => [`link ${t} ${p}`, (fs) => fs.symlink(t, p)]),
    fc.tuple(path, mode).map(([p, m]): Operation => [`chmod ${p} ${m}`, (fs) => fs.chmod(p, m)]),
    fc.tuple(path, time).map(([p, t]): Operation => [`utimes ${p} ${t}`, (fs) => fs.utimes(p, t)]),
    path.map((p): Operation => [`read ${p}`, async (fs) => [...(await fs.readFile(p))]]),
    path.map((p): Operation => [`realpath ${p}`, (fs) => fs.realpath(p)]),
    path.map((p): Operation => [`list ${p}`, (fs) => fs.readdir(p)]),
  );
}

/** The outcome of an operation: its result, or the code of its error. */
export async function outcome([label, run]: Operation, fs: FileSystem): Promise<unknown> {
  try {
    return [label, await run(fs)];
  } catch (error) {
    if (error instanceof FileSystemError) return [label, error.code];
    throw error;
  }
}

/** Removes times, since a commit writes at its own time. */
export function withoutTimes(tree: Record<string, TreeEntry>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).map(([at, { type, mode: bits, content }]) => [
      at,
      { type, bits, content },
    ]),
  );
}
