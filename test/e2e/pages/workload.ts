import type { FileSystem, Storage } from "@robota/runtime";

/** A lane of changes; the number of its steps done determines its state. */
export type Lane = "files" | "log" | "values";
export const LANES: readonly Lane[] = ["files", "log", "values"];

/**
 * Three endless lists of changes, the same in each life of a page: step `n` of a lane depends on nothing but `n` and on
 * the steps before. So what is stored must be what the first `n` steps of each lane make, for an `n` that is known.
 */
export interface Host {
  fs: FileSystem;
  storage: Storage;
}

type FileStep =
  | { type: "write" | "append"; path: string; text: string }
  | { type: "rename"; from: string; to: string }
  | { type: "remove"; path: string }
  | { type: "directory"; path: string; text: string }
  | { type: "clear"; path: string };

/** From small to larger than what the browser keeps outside of its database's own files. */
const SIZES = [0, 7, 1_000, 20_000, 150_000];

/** Makes step `n` (from 1) of a lane; resolves when the port says that it is done. */
export async function makeStep(host: Host, lane: Lane, n: number): Promise<void> {
  if (lane === "files") return makeFileStep(host.fs, fileStep(n, filesAfter(n - 1)));
  if (lane === "log") {
    await host.storage.append("log", entriesOf(n).map(toBytes));
    return;
  }
  await host.storage.set(valueKey(n), toBytes(textOf(n, SIZES[n % 4]!)));
}

/** The differences between the stored state and the state after `n` steps of a lane; empty when there are none. */
export async function differences(host: Host, lane: Lane, n: number): Promise<string[]> {
  if (lane === "files") return mapDifferences(await storedFiles(host.fs, "/code"), filesAfter(n));
  if (lane === "log") return mapDifferences(await storedLog(host.storage), logAfter(n));
  return mapDifferences(await storedValues(host.storage), valuesAfter(n));
}

function fileStep(n: number, files: Map<string, string>): FileStep {
  const random = mulberry(n);
  const pick = (count: number): number => Math.floor(random() * count);
  const file = `/code/file-${pick(12)}`;
  const existing = [...files.keys()].filter((path) => path.startsWith("/code/file-"));
  const text = textOf(n, SIZES[pick(SIZES.length)]!);
  const kind = pick(10);
  if (kind < 3) return { type: "append", path: `/code/log-${pick(2)}`, text: textOf(n, 200) };
  if (kind === 3) return { type: "directory", path: `/code/tree-${pick(3)}`, text };
  if (kind === 4) return { type: "clear", path: `/code/tree-${pick(3)}` };
  if (kind === 5 && existing[0]) return { type: "remove", path: existing[0] };
  if (kind < 8 && existing[0]) {
    return { type: "rename", from: existing[pick(existing.length)]!, to: file };
  }
  return { type: "write", path: file, text };
}

async function makeFileStep(fs: FileSystem, step: FileStep): Promise<void> {
  switch (step.type) {
    case "write":
      return fs.writeFile(step.path, step.text);
    case "append":
      return fs.appendFile(step.path, step.text);
    case "rename":
      return fs.rename(step.from, step.to);
    case "remove":
      return fs.remove(step.path);
    case "directory":
      // Two changes, but the first of them makes nothing that the comparison sees.
      await fs.mkdir(`${step.path}/deep/er`, { recursive: true });
      return fs.writeFile(`${step.path}/deep/er/file`, step.text);
    case "clear":
      return fs.remove(step.path, { recursive: true, force: true });
  }
}

function applyFileStep(files: Map<string, string>, step: FileStep): void {
  switch (step.type) {
    case "write":
      files.set(step.path, step.text);
      return;
    case "append":
      files.set(step.path, (files.get(step.path) ?? "") + step.text);
      return;
    case "rename": {
      const text = files.get(step.from) ?? "";
      if (step.from === step.to) return;
      files.delete(step.from);
      files.set(step.to, text);
      return;
    }
    case "remove":
      files.delete(step.path);
      return;
    case "directory":
      files.set(`${step.path}/deep/er/file`, step.text);
      return;
    case "clear":
      files.delete(`${step.path}/deep/er/file`);
      return;
  }
}

let known: { n: number; files: Map<string, string> } = { n: 0, files: new Map() };

function filesAfter(n: number): Map<string, string> {
  if (known.n > n) known = { n: 0, files: new Map() };
  for (; known.n < n; known.n++) applyFileStep(known.files, fileStep(known.n + 1, known.files));
  return known.files;
}

/** One to three entries, which must be there together or not at all. */
function entriesOf(n: number): string[] {
  return Array.from({ length: 1 + (n % 3) }, (_, index) => textOf(n, SIZES[(n + index) % 4]!));
}

function logAfter(n: number): Map<string, string> {
  const entries = Array.from({ length: n }, (_, index) => entriesOf(index + 1)).flat();
  return new Map(entries.map((text, index) => [`entry ${index + 1}`, text]));
}

function valueKey(n: number): string {
  return `values/${n % 5}`;
}

function valuesAfter(n: number): Map<string, string> {
  const values = new Map<string, string>();
  for (let step = Math.max(1, n - 4); step <= n; step++) {
    values.set(valueKey(step), textOf(step, SIZES[step % 4]!));
  }
  return values;
}

async function storedFiles(fs: FileSystem, directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, type } of await fs.readdir(directory)) {
    const path = `${directory}/${name}`;
    if (type === "directory") {
      for (const [below, text] of await storedFiles(fs, path)) found.set(below, text);
      continue;
    }
    const text = toText(await fs.readFile(path));
    const { size } = await fs.stat(path);
    found.set(path, size === text.length ? text : `${size} bytes by stat, ${text.length} by read`);
  }
  return found;
}

async function storedLog(storage: Storage): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { seq, value } of storage.read("log")) found.set(`entry ${seq}`, toText(value));
  return found;
}

async function storedValues(storage: Storage): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const key of await storage.keys("values/")) found.set(key, toText(await storage.get(key)));
  return found;
}

function mapDifferences(found: Map<string, string>, expected: Map<string, string>): string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  return [...names]
    .filter((name) => found.get(name) !== expected.get(name))
    .map(
      (name) => `${name}: expected ${shown(expected.get(name))}, found ${shown(found.get(name))}`,
    );
}

function shown(text: string | undefined): string {
  return text === undefined ? "nothing" : `${text.length} bytes "${text.slice(0, 12)}"`;
}

/** At least `size` bytes that say which step they are of. */
function textOf(n: number, size: number): string {
  const word = `${n} `;
  return word.repeat(Math.ceil(size / word.length));
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toText(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

/** The mulberry32 generator: equal numbers in every life. */
function mulberry(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
