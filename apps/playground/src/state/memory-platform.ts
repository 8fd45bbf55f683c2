import { type BrowserPlatform, workerShell } from "@robota/adapters-web";
import type { Platform } from "@robota/runtime";
import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";
import { reporting } from "../files/reporting.ts";

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
