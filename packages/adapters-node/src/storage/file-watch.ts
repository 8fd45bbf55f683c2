import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";

const POLL_MS = 200;

interface WatchedDirectory {
  watcher: FSWatcher | undefined;
  listeners: Map<string, Set<() => void>>;
}

/**
 * Notifies when a file may have changed: on system events, and every 200 ms, because not every file system has them and
 * no changes by other machines are reported. Keeps no process alive. A directory is watched a moment longer than needed:
 * where one lease follows another, no watch is made for each.
 */
export class FileWatch {
  readonly #directories = new Map<string, WatchedDirectory>();
  #poll: NodeJS.Timeout | undefined;

  /** Calls `listener` until the function that is returned is called. */
  add(file: string, listener: () => void): () => void {
    const directory = this.#open(dirname(file));
    const name = basename(file);
    const listeners = directory.listeners.get(name) ?? new Set();
    directory.listeners.set(name, listeners.add(listener));
    this.#poll ??= setInterval(() => this.#notifyAll(), POLL_MS).unref();
    return () => {
      listeners.delete(listener);
      // Called again, it must not end what another one began.
      const isLast = listeners.size === 0 && directory.listeners.get(name) === listeners;
      if (isLast) directory.listeners.delete(name);
    };
  }

  /** Ends every watch. */
  close(): void {
    for (const [path, directory] of this.#directories) this.#close(path, directory);
  }

  #open(path: string): WatchedDirectory {
    const known = this.#directories.get(path);
    if (known) return known;
    const directory: WatchedDirectory = { watcher: undefined, listeners: new Map() };
    this.#directories.set(path, directory);
    try {
      directory.watcher = watch(path, { persistent: false }, (_event, name) => {
        for (const listener of directory.listeners.get(name ?? "") ?? []) listener();
      });
      // Watching ends, for example, when the directory is removed; polling continues.
      directory.watcher.on("error", () => directory.watcher?.close());
    } catch {
      // Out of watches, or unsupported by this file system: polling has to do.
    }
    return directory;
  }

  #close(path: string, directory: WatchedDirectory): void {
    directory.watcher?.close();
    this.#directories.delete(path);
    if (this.#directories.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #notifyAll(): void {
    for (const [path, directory] of this.#directories) {
      if (directory.listeners.size === 0) this.#close(path, directory);
      for (const ofFile of directory.listeners.values()) for (const listener of ofFile) listener();
    }
  }
}
