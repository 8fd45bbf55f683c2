import type { FileSystem, Platform } from "@robota/runtime";

/** The host that a shared test runs on, as its own adapter makes it. */
export interface Host {
  platform: Platform;
  /** An empty directory to work in. */
  cwd: string;
}

export type WithHost = (run: (host: Host) => Promise<void>) => Promise<void>;

/** Files of the host that nobody else uses. */
export interface HostFiles {
  fs: FileSystem;
  /** The directory above which nothing of them is. */
  top: string;
  /** Where to work: `top`, or a directory so far below it that no few links lead out. */
  directory: string;
  /** True when all times come from the clock that was passed. */
  hasClock: boolean;
  /** The same files, as a program that starts later finds them. */
  reopen(): Promise<FileSystem>;
}

export type WithFiles = (
  now: () => number,
  run: (files: HostFiles) => Promise<void>,
) => Promise<void>;
