import type { FileSystem } from "@robota/runtime";
import { asError } from "./as-error.ts";
import type { OpenDirectories } from "./open-directories.ts";
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

/** Milliseconds for which changes are collected: a command may change a thousand files. */
const REFRESH_MS = 60;

/**
 * The tree below `root`. While somebody subscribes it follows changes of files that can be watched; elsewhere call
 * `refresh` after a turn.
 */
export function createFileTree(fs: WatchableFiles, root: string): FileTreeStore {
  const state = createCell<FileTreeState>({ rows: [], isLoaded: false, failure: undefined });
  let directories: OpenDirectories | undefined;
  let users = 0;
  let unwatch: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fail = (cause: unknown): void => state.set({ ...state.get(), failure: asError(cause) });
  /** Acts at once when the code for it is loaded, and otherwise as soon as it is, in order. */
  const act = async (action: (on: OpenDirectories) => void): Promise<void> => {
    try {
      if (!directories) {
        const { openDirectories } = await import("./open-directories.ts");
        directories ??= openDirectories(fs, root, state, fail);
      }
      action(directories);
    } catch (cause) {
      fail(cause);
    }
  };
  const refresh = (): void => void act((on) => on.refresh());
  const refreshLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh();
    }, REFRESH_MS);
  };

  return {
    get: state.get,
    subscribe(listener) {
      const leave = state.subscribe(listener);
      if (++users === 1) {
        unwatch = fs.watch?.(refreshLater);
        refresh();
      }
      return () => {
        leave();
        if (--users > 0) return;
        clearTimeout(timer);
        timer = undefined;
        unwatch?.();
      };
    },
    toggle: (path) => void act((on) => on.toggle(path)),
    reveal: (path) => void act((on) => on.reveal(path)),
    refresh,
  };
}
