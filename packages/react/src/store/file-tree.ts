import type { DirectoryEntry, FileSystem } from "@robota/runtime";
import { createCell, type Readable } from "./readable.ts";

/** One visible row of a file tree. */
export interface FileRow {
  path: string;
  name: string;
  isDirectory: boolean;
  /** Level from 1, as in `aria-level`. */
  level: number;
  isOpen: boolean;
}

/** The rows of a file tree as they are shown. */
export interface FileTreeState {
  /** The visible rows, from top to bottom: directories first, then by name. */
  rows: readonly FileRow[];
  /** False until the root was read. */
  isLoaded: boolean;
  /** The error of the last reading. */
  failure: Error | undefined;
}

/** A directory tree as a value over time. It reads open directories only. */
export interface FileTreeStore extends Readable<FileTreeState> {
  /** Opens a closed directory and closes an open one. */
  toggle: (path: string) => void;
  /** Opens every directory on the way to `path`. */
  reveal: (path: string) => void;
  /** Reads the open directories again. */
  refresh: () => void;
}

/** Files that can be watched, as in a browser tab. */
export type WatchableFiles = Pick<FileSystem, "readdir"> & {
  watch?(listener: () => void): () => void;
};

type Listings = ReadonlyMap<string, readonly DirectoryEntry[]>;

/** Milliseconds for which changes are collected: a command may change a thousand files. */
const REFRESH_MS = 60;

/**
 * The tree below `root`. While somebody subscribes it follows changes of files that can be watched; elsewhere call
 * `refresh` after a turn.
 */
export function createFileTree(fs: WatchableFiles, root: string): FileTreeStore {
  const state = createCell<FileTreeState>({ rows: [], isLoaded: false, failure: undefined });
  let open: ReadonlySet<string> = new Set([root]);
  let listings: Listings = new Map();
  let reading = 0;
  let users = 0;
  let unwatch: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = async (): Promise<void> => {
    const own = ++reading;
    try {
      const found = await readListings(fs, open, root);
      if (own !== reading) return;
      listings = found;
      state.set({ rows: visibleRows(listings, open, root), isLoaded: true, failure: undefined });
    } catch (cause) {
      if (own !== reading) return;
      const failure = cause instanceof Error ? cause : new Error(String(cause));
      state.set({ ...state.get(), failure });
    }
  };
  const change = (directories: ReadonlySet<string>): void => {
    open = directories;
    state.set({ ...state.get(), rows: visibleRows(listings, open, root) });
    void read();
  };

  return {
    get: state.get,
    subscribe(listener) {
      const leave = state.subscribe(listener);
      if (++users === 1) {
        unwatch = fs.watch?.(() => (timer ??= setTimeout(refreshed, REFRESH_MS)));
        void read();
      }
      return () => {
        leave();
        if (--users > 0) return;
        clearTimeout(timer);
        timer = undefined;
        unwatch?.();
        unwatch = undefined;
      };
    },
    toggle(path) {
      const next = new Set(open);
      if (!next.delete(path)) next.add(path);
      change(next);
    },
    reveal(path) {
      const missing = parents(path, root).filter((parent) => !open.has(parent));
      if (missing.length > 0) change(new Set([...open, ...missing]));
    },
    refresh: () => void read(),
  };

  function refreshed(): void {
    timer = undefined;
    void read();
  }
}

async function readListings(
  fs: WatchableFiles,
  open: ReadonlySet<string>,
  root: string,
): Promise<Listings> {
  const read = await Promise.all(
    [...open].map(async (path) => {
      try {
        return [path, await fs.readdir(path)] as const;
      } catch (error) {
        // A directory removed while it was open has no rows any more.
        if (path === root) throw error;
        return undefined;
      }
    }),
  );
  return new Map(read.filter((listing) => listing !== undefined));
}

function visibleRows(listings: Listings, open: ReadonlySet<string>, root: string): FileRow[] {
  const rows: FileRow[] = [];
  const visit = (directory: string, level: number): void => {
    const entries = listings.get(directory) ?? [];
    const isDirectory = (entry: DirectoryEntry): boolean => entry.type === "directory";
    const sorted = [
      ...entries.filter(isDirectory),
      ...entries.filter((each) => !isDirectory(each)),
    ];
    for (const entry of sorted) {
      const path = `${directory === "/" ? "" : directory}/${entry.name}`;
      const isOpen = isDirectory(entry) && open.has(path);
      rows.push({ path, name: entry.name, isDirectory: isDirectory(entry), level, isOpen });
      if (isOpen) visit(path, level + 1);
    }
  };
  visit(root, 1);
  return rows;
}

function parents(path: string, root: string): string[] {
  const found: string[] = [];
  let at = path.lastIndexOf("/");
  while (at > root.length) {
    found.push(path.slice(0, at));
    at = path.lastIndexOf("/", at - 1);
  }
  return found;
}
