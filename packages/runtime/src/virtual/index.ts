export { LeaseTable } from "./lease-table.ts";
export {
  checkTarget,
  MemoryFileSystem,
  type MemoryFileSystemOptions,
  renameRefusal,
} from "./memory-file-system.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
export {
  type DirectoryOf,
  type Lookup,
  type Place,
  walk,
  walkLater,
  type WalkNode,
  walkNow,
} from "./path-walk.ts";
export type { ShellCommand, ShellCommandContext, ShellCommandResult } from "./shell/command.ts";
export type { ExecutionOptions } from "./shell/execution.ts";
export type { ShellLimits } from "./shell/limits.ts";
export type { VirtualShellOptions } from "./shell/options.ts";
export {
  createShellSession,
  type ShellSession,
  type ShellState,
  type StatefulShell,
} from "./shell/session.ts";
export { VirtualShell } from "./virtual-shell.ts";
