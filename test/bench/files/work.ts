// The same work for every store of files, on any host: a thousand files of 1 KB at a time, in a hundred directories.

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
const TOGETHER = 100;
/** Looks are too quick for a clock of milliseconds: they are made so many times. */
const LOOKS = 10;

/**
 * Lets the backends take turns: each writes, reads and looks at so many files more in each round; the times are those of
 * `ROUND` files. What is written in one
 * stays for the next, so that the last finds the most files.
 */
export async function compare(
  backends: readonly Backend[],
  rounds: number,
  files = ROUND,
): Promise<Times> {
  const directories = Array.from({ length: DIRECTORIES }, (_, at) => `/files/d${at}`);
  for (const backend of backends) await backend.prepare?.(["/files", ...directories]);
  const times: Times = {};
  for (let round = 0; round < rounds; round++) {
    // Whoever comes first in a round pays more often for what the other left behind.
    const order = round % 2 === 0 ? backends : backends.toReversed();
    for (const backend of order) await oneRound(backend, { round, files }, directories, times);
  }
  return times;
}

async function oneRound(
  backend: Backend,
  { round, files }: { round: number; files: number },
  directories: readonly string[],
  times: Times,
): Promise<void> {
  const at = (name: string, index: number): string =>
    `/files/d${index % DIRECTORIES}/${name}${round * ROUND + index}`;
  const paths = Array.from({ length: files }, (_, index) => at("file", index));
  const others = Array.from({ length: files }, (_, index) => at("other", index));
  const bytes = content(round);
  const step = async (name: string, work: () => Promise<unknown>, repeats = 1): Promise<void> => {
    const started = performance.now();
    for (let turn = 0; turn < repeats; turn++) await work();
    const took = ((performance.now() - started) / repeats) * (name === "list" ? 1 : ROUND / files);
    ((times[name] ??= {})[backend.name] ??= []).push(took);
  };

  await step("write", async () => {
    for (const path of paths) await backend.write(path, bytes);
  });
  await step("read", async () => {
    for (const path of paths) await backend.read(path);
  });
  if (backend.stat) {
    await step(
      "stat",
      async () => {
        for (const path of paths) await backend.stat?.(path);
      },
      LOOKS,
    );
  }
  if (backend.list) {
    await step(
      "list",
      async () => {
        for (const directory of directories) await backend.list?.(directory);
      },
      LOOKS,
    );
  }
  await step("overwrite", async () => {
    for (const path of paths) await backend.write(path, bytes);
  });
  await step("write together", async () => {
    for (let start = 0; start < files; start += TOGETHER) {
      const group = others.slice(start, start + TOGETHER);
      await Promise.all(group.map((path) => backend.write(path, bytes)));
    }
  });
  if (backend.remove) {
    await step("remove", async () => {
      for (const path of others) await backend.remove?.(path);
    });
  }
}

/** An overlay whose base is filled, so that its reads fall through. */
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
