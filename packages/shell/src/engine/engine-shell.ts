import type { FileSystem, ShellResult } from "@robota/runtime/ports";
import type { ShellLimits } from "../limits.ts";
import { VirtualShell } from "../virtual-shell.ts";
import type { Guard } from "./run/process.ts";

export function createEngineShell({ files, limits }: { files: FileSystem; guard?: Guard; limits?: ShellLimits }): {
  exec(command: string, options: Parameters<VirtualShell["exec"]>[1]): Promise<ShellResult>;
} {
  return new VirtualShell({ fs: files, limits });
}
