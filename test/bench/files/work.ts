// The same work for every store of files, on any host: a thousand files of 1 KB at a time, in a hundred directories.
import type { FileSystem } from "@robota/runtime";
import { OverlayFileSystem } from "@robota/runtime/virtual";

/** A store of files, in its own terms. */
export interface Backend {
  readonly name: string;
  /** Makes the directories, where there is such a thing. */
  readonly prepare?: (directories: readonly string[]) => Promise<unknown>;
  readonly write: (path: string, bytes: Uint8Array) => Promise<unknown>;
  readonly read: (path: string) => Promise<{ length: number }>;
  readonly stat?: (path: string) => Promise<unknown>;
  readonly list?: (directory: string) => Promise<{ length: number }>;
  readonly remove?: (path: string) => Promise<unknown>;
}

/** Milliseconds for each step and backend, one for each round. */
export type Times = Record<string, Record<string, number[]>>;

export const ROUND = 1_000;
export const FILE_BYTES = 1_024;
const DIRECTORIES = 100;
const CONCURRENT = 100;
/** Looks are too quick for a clock of milliseconds: they are made so many times, reads where files are in memory too. */
const LOOKS = 10;

/** Settings in which a host differs from the others. */
export interface CompareOptions {
  /** In each round; `ROUND` unless told. */
  files?: number;
  /** True when a read takes microseconds, not a disk's time. */
  isQuick?: boolean;
}
/** In so many turns at least, what changes nothing is done, again and again where there are few files. */
const TURNS = 10;

/**
 * Lets the backends take turns: each writes, reads and looks at so many files more in each round, a hundred at a time, so
 * that what else the machine does at the moment concerns them all; the times are those of `ROUND` files. What is written
 * in one round stays for the next, so that the last finds the most files.
 */
export async function compare(
  backends: readonly Backend[],
  rounds: number,
  { files = ROUND, isQuick = false }: CompareOptions = {},
): Promise<Times> {
  const reads = isQuick ? LOOKS : 1;
  const directories = Array.from({ length: DIRECTORIES }, (_, at) => `/files/d${at}`);
  for (const backend of backends) await backend.prepare?.(["/files", ...directories]);
  const parts = files / CONCURRENT;
  const times: Times = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(stepsOf(round, parts, reads))) {
      const took: Record<string, number> = {};
      const turns = LOOKING.has(name) ? Math.max(parts, TURNS) : parts;
      for (let turn = 0; turn < turns; turn++) {
        // The first in a turn more often pays for work that the other left behind.
        const order = (round + turn) % 2 === 0 ? backends : backends.toReversed();
        for (const backend of order) {
          const started = performance.now();
          const isDone = await work(backend, turn % parts);
          if (isDone) took[backend.name] = (took[backend.name] ?? 0) + performance.now() - started;
        }
      }
      for (const { name: backend } of backends) {
        const whole = took[backend];
        if (whole === undefined) continue;
        const once = whole * (parts / turns) * (name === "list" ? 1 : ROUND / files);
        const looks = { read: reads, stat: LOOKS, list: LOOKS }[name] ?? 1;
        ((times[name] ??= {})[backend] ??= []).push(once / looks);
      }
    }
  }
  return times;
}

const LOOKING = new Set(["read", "stat", "list"]);

/** One backend's work in one part of a step; false when it has no such operation. */
type Work = (backend: Backend, part: number) => Promise<boolean>;

function stepsOf(round: number, parts: number, reads: number): Record<string, Work> {
  const at = (name: string, index: number): string =>
    `/files/d${index % DIRECTORIES}/${name}${round * ROUND + index}`;
  const partOf = (name: string, part: number): string[] =>
    Array.from({ length: CONCURRENT }, (_, index) => at(name, part * CONCURRENT + index));
  const bytes = content(round);
  const write: Work = async (backend, part) => {
    for (const path of partOf("file", part)) await backend.write(path, bytes);
    return true;
  };
  return {
    write,
    async read(backend, part) {
      const paths = partOf("file", part);
      for (let look = 0; look < reads; look++) for (const path of paths) await backend.read(path);
      return true;
    },
    async stat(backend, part) {
      const paths = partOf("file", part);
      for (let look = 0; backend.stat && look < LOOKS; look++) {
        for (const path of paths) await backend.stat(path);
      }
      return backend.stat !== undefined;
    },
    async list(backend) {
      for (let index = 0; backend.list && index < (DIRECTORIES * LOOKS) / parts; index++) {
        await backend.list(`/files/d${index % DIRECTORIES}`);
      }
      return backend.list !== undefined;
    },
    overwrite: write,
    async "write together"(backend, part) {
      await Promise.all(partOf("other", part).map((path) => backend.write(path, bytes)));
      return true;
    },
    async remove(backend, part) {
      if (!backend.remove) return false;
      for (const path of partOf("other", part)) await backend.remove(path);
      return true;
    },
  };
}

/** An overlay with a change elsewhere, whose base is filled, so that its reads fall through. */
export async function overlayOver(base: FileSystem, root = ""): Promise<Backend> {
  const overlay = new OverlayFileSystem(base);
  await overlay.writeFile("/changed", "x");
  return overlayBackend(overlay, base, root);
}

/** An overlay whose base is filled. */
export function overlayBackend(overlay: PortFiles, base: PortFiles, root = ""): Backend {
  const below = portBackend("", base, root);
  const { read, stat, list } = portBackend("", overlay, root);
  return { ...below, name: "OverlayFileSystem", read, stat, list };
}

/** Not all the same, so that no store gains by packing it. */
function content(round: number): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(FILE_BYTES));
  bytes[0] = round;
  return bytes;
}

/** As much of the port as is measured. */
export interface PortFiles {
  mkdir(path: string, options: { recursive: boolean }): Promise<void>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<unknown>;
  readdir(path: string): Promise<{ length: number }>;
  remove(path: string): Promise<void>;
}

export function portBackend(name: string, fs: PortFiles, root = ""): Required<Backend> {
  return {
    name,
    prepare: (directories) =>
      Promise.all(directories.map((path) => fs.mkdir(root + path, { recursive: true }))),
    write: (path, bytes) => fs.writeFile(root + path, bytes),
    read: (path) => fs.readFile(root + path),
    stat: (path) => fs.stat(root + path),
    list: (directory) => fs.readdir(root + directory),
    remove: (path) => fs.remove(root + path),
  };
}
