// What the implementers of a port throw: here too, so that a worker can do without the main entry.
export { errorMessage, FileSystemError, RobotaError, ShellError } from "../errors.ts";
export { exportZip, type ExportZipOptions } from "./archive/export-files.ts";
export { ImportError, type ImportErrorCode } from "./archive/import-error.ts";
export {
  importFiles,
  type ImportFilesOptions,
  type ImportPlace,
  type ImportResult,
} from "./archive/import-files.ts";
export {
  archiveSource,
  type ImportEntry,
  type ImportFilesLimits,
  type ImportRequest,
  type ImportSource,
} from "./archive/import-source.ts";
export { dryRun, type DryRun } from "./dry-run.ts";
export { LeaseTable } from "./lease-table.ts";
export { MemoryFileSystem, type MemoryFileSystemOptions } from "./memory-file-system.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
export { OverlayFileSystem, type OverlayFileSystemOptions } from "./overlay-file-system.ts";
export type { FileSystemChange, FileVersion } from "./overlay/changes.ts";
export {
  checkPath,
  checkTarget,
  type DirectoryOf,
  locateStraight,
  type Lookup,
  type Place,
  walk,
  walkLater,
  type WalkNode,
  walkNow,
  walkStraight,
} from "./path-walk.ts";
export { checkRename, renameRefusal } from "./rename-rules.ts";
export type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../../shell/src/command.ts";
export type { GitOptions } from "../../../shell/src/git/options.ts";
export type { ScriptLimits, ScriptOptions } from "../../../shell/src/commands/js/options.ts";
export type { ExecutionOptions } from "../../../shell/src/execution.ts";
export { guardFiles } from "../../../shell/src/files/guarded-files.ts";
export { createRefusals } from "../../../shell/src/refusals.ts";
export type { ShellLimits } from "../../../shell/src/limits.ts";
export type { VirtualShellOptions } from "../../../shell/src/options.ts";
export {
  createShellSession,
  type ShellSession,
  type ShellState,
  type StatefulShell,
} from "../../../shell/src/session.ts";
export type { FromThread, ThreadPort, ToThread } from "../../../shell/src/thread/protocol.ts";
export { serveShell } from "../../../shell/src/thread/serve-shell.ts";
export type { Thread } from "../../../shell/src/thread/shell-thread.ts";
export {
  type ThreadedShell,
  threadedShell,
  type ThreadedShellOptions,
} from "../../../shell/src/thread/threaded-shell.ts";
export { VirtualShell } from "../../../shell/src/virtual-shell.ts";
