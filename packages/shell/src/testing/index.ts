import type { Platform } from "@robota/runtime/ports";
import {
  memoryPlatform as platformInMemory,
  type MemoryPlatformOptions,
} from "@robota/runtime/testing";
import { VirtualShell } from "../virtual-shell.ts";

export type { MemoryPlatformOptions };

/**
 * A whole host in memory with a bash over its files, for tests and experiments: no network, no disk, no process.
 * Commands see the platform's files, and the network when there is a `fetch`; nothing of `env`.
 */
export function memoryPlatform(options: MemoryPlatformOptions = {}): Platform {
  const { shell = (parts) => new VirtualShell(parts) } = options;
  return platformInMemory({ ...options, shell });
}
