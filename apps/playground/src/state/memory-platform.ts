import { type BrowserPlatform, workerShell } from "@robota/adapters-web";
import type { FileSystem, Platform } from "@robota/runtime";
import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";

/** A platform that lasts as long as the page, and reports changes of its files. */
export interface MemoryPlatform extends Platform {
  watch: (listener: () => void) => () => void;
}

/** The browser's platform with files and sessions in memory, for a browser that lets the page keep nothing. */
export function memoryPlatform(browser: BrowserPlatform): MemoryPlatform {
  const listeners = new Set<() => void>();
  const fs = reporting(new MemoryFileSystem(), () => {
    for (const listener of listeners) listener();
  });
  return {
    ...browser,
    fs,
    storage: new MemoryStorage(),
    shell: workerShell({ fs, home: browser.home }),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The same files; every finished change is reported. */
function reporting(fs: MemoryFileSystem, onChange: () => void): FileSystem {
  const report = (change: Promise<void>): Promise<void> => change.finally(onChange);
  return {
    readFile: (...args) => fs.readFile(...args),
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readdir: (...args) => fs.readdir(...args),
    readlink: (path) => fs.readlink(path),
    realpath: (path) => fs.realpath(path),
    writeFile: (...args) => report(fs.writeFile(...args)),
    appendFile: (...args) => report(fs.appendFile(...args)),
    mkdir: (...args) => report(fs.mkdir(...args)),
    remove: (...args) => report(fs.remove(...args)),
    rename: (...args) => report(fs.rename(...args)),
    symlink: (...args) => report(fs.symlink(...args)),
    chmod: (...args) => report(fs.chmod(...args)),
    utimes: (...args) => report(fs.utimes(...args)),
  };
}
