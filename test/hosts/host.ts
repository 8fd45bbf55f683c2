import type { Platform } from "@robota/runtime";

/** The host that a shared test runs on, as its own adapter makes it. */
export interface Host {
  platform: Platform;
  /** An empty directory to work in. */
  cwd: string;
}

export type WithHost = (run: (host: Host) => Promise<void>) => Promise<void>;
