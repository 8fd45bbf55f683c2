// Runs in a page: what the files cost in Chromium, next to the libraries and the browser's own stores.
import { BrowserFileSystem, workerShell } from "@robota/adapters-web";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { type Backend, compare, overlayOver, portBackend, type Times } from "./work.ts";

/** The libraries, which the bench's page is bundled with. */
export interface Libraries {
  keyval: {
    createStore(database: string, store: string): unknown;
    set(key: string, value: unknown, store: unknown): Promise<void>;
    get(key: string, store: unknown): Promise<{ length: number }>;
    del(key: string, store: unknown): Promise<void>;
  };
  LightningFS: new (name: string) => { promises: LightningPromises };
}

interface LightningPromises {
  mkdir(path: string): Promise<void>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  unlink(path: string): Promise<void>;
}

export interface PageBench {
  /** Our files and idb-keyval, which take turns. */
  files(rounds: number): Promise<Times>;
  /** The same for stores that take too long to take part in all rounds. */
  others(rounds: number): Promise<Times>;
  overlay(rounds: number): Promise<Times>;
  /** Milliseconds to open a workspace of so many files, of a few times. */
  open(files: number): Promise<number[]>;
  /** Milliseconds of a command over a text of 2.3 MB: in the page and in the shell's worker, a few times each. */
  command(line: string): Promise<{ page: number[]; worker: number[] }>;
}

declare global {
  var bench: PageBench;
}

let names = 0;
const newName = (): string => `bench-${Date.now()}-${names++}`;

export function start({ keyval, LightningFS }: Libraries): void {
  const bareKeyval = (): Backend => {
    const store = keyval.createStore(newName(), "files");
    return {
      name: "idb-keyval",
      write: (path, bytes) => keyval.set(path, bytes, store),
      read: (path) => keyval.get(path, store),
      stat: (path) => keyval.get(path, store),
      remove: (path) => keyval.del(path, store),
    };
  };
  const bareLightning = (): Backend => {
    const fs = new LightningFS(newName()).promises;
    return {
      name: "lightning-fs",
      async prepare(directories) {
        for (const path of directories) await fs.mkdir(path);
      },
      write: (path, bytes) => fs.writeFile(path, bytes),
      read: (path) => fs.readFile(path),
      stat: (path) => fs.stat(path),
      list: (path) => fs.readdir(path),
      remove: (path) => fs.unlink(path),
    };
  };

  globalThis.bench = {
    async files(rounds) {
      await using fs = new BrowserFileSystem(newName());
      return await compare([portBackend("BrowserFileSystem", fs), bareKeyval()], rounds);
    },
    async others(rounds) {
      await using fs = new BrowserFileSystem(newName());
      const backends = [portBackend("BrowserFileSystem", fs), bareLightning(), originPrivate()];
      return await compare(backends, rounds);
    },
    async overlay(rounds) {
      const [base, bare] = [new MemoryFileSystem(), new MemoryFileSystem()];
      const backends = [await overlayOver(base), portBackend("MemoryFileSystem", bare)];
      return compare(backends, rounds, { isQuick: true });
    },
    open: openWorkspace,
    command: runCommand,
  };
}

/** Files of the origin's private file system, by the calls that every page has. */
function originPrivate(): Backend {
  const directories = new Map<string, FileSystemDirectoryHandle>();
  const folder = newName();
  const place = (path: string): [FileSystemDirectoryHandle, string] => {
    const cut = path.lastIndexOf("/");
    return [directories.get(path.slice(0, cut))!, path.slice(cut + 1)];
  };
  const fileAt = async (path: string): Promise<File> => {
    const [directory, name] = place(path);
    return (await directory.getFileHandle(name)).getFile();
  };
  return {
    name: "OPFS",
    async prepare(paths) {
      const root = await navigator.storage.getDirectory();
      directories.set("", await root.getDirectoryHandle(folder, { create: true }));
      for (const path of paths) {
        const [parent, name] = place(path);
        directories.set(path, await parent.getDirectoryHandle(name, { create: true }));
      }
    },
    async write(path, bytes) {
      const [directory, name] = place(path);
      const file = await directory.getFileHandle(name, { create: true });
      const writable = await file.createWritable();
      await writable.write(new Uint8Array(bytes));
      await writable.close();
    },
    read: async (path) => new Uint8Array(await (await fileAt(path)).arrayBuffer()),
    stat: async (path) => (await fileAt(path)).size,
    list: (directory) => Array.fromAsync(directories.get(directory)!.keys()),
    async remove(path) {
      const [directory, name] = place(path);
      await directory.removeEntry(name);
    },
  };
}

async function openWorkspace(files: number): Promise<number[]> {
  const name = newName();
  {
    await using fs = new BrowserFileSystem(name);
    const { prepare, write } = portBackend("", fs);
    await prepare(Array.from({ length: 100 }, (_, at) => `/d${at}`));
    const bytes = new Uint8Array(1_024);
    const paths = Array.from({ length: files }, (_, at) => `/d${at % 100}/f${at}`);
    await Promise.all(paths.map((path) => write(path, bytes)));
  }
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await using fs = new BrowserFileSystem(name);
    if ((await fs.readdir("/d0")).length !== files / 100) throw new Error("Files are missing");
    times.push(performance.now() - started);
  }
  return times;
}

async function runCommand(line: string): Promise<{ page: number[]; worker: number[] }> {
  const text = "the quick brown fox jumps\n".repeat(90_000);
  const times = { page: [] as number[], worker: [] as number[] };
  await using fs = new BrowserFileSystem(newName());
  await fs.writeFile("/big", text);
  using worker = workerShell({
    fs,
    createWorker: () => new Worker("/shell-worker.js", { type: "module" }),
  });
  const page = new VirtualShell({ fs });
  for (let round = 0; round < 4; round++) {
    for (const [kind, shell] of Object.entries({ page, worker })) {
      const started = performance.now();
      const { exitCode, stderr } = await shell.exec(line, { cwd: "/" });
      if (exitCode !== 0) throw new Error(stderr);
      times[kind === "page" ? "page" : "worker"].push(performance.now() - started);
    }
  }
  return times;
}
