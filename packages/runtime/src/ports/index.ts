// Entry for implementations of a port: the types, the errors to throw, and rules about paths, bytes and options. Loads
// nothing else, so a worker can do without the main entry.
export { concatBytes, decodeText, encodeText } from "../bytes.ts";
export {
  type ErrorCategory,
  type ErrorFacts,
  errorFacts,
  errorMessage,
  FileSystemError,
  type FileSystemErrorCode,
  RobotaError,
  ShellError,
  StorageError,
  type StorageErrorCode,
} from "../errors.ts";
export type { LinearOptions, LinearRegExp } from "../linear-regexp/linear-regexp.ts";
export { type LinearEngine, loadLinearEngine } from "../linear-regexp/load.ts";
export { nativeRegExp } from "../native-regexp.ts";
export { type OptionForms, requireOptions } from "../option-forms.ts";
export type { AccessRules } from "./access.ts";
export type {
  DirectoryEntry,
  FileStat,
  FileSystem,
  FileType,
  OpenFile,
  PathOptions,
  SoughtTexts,
} from "./file-system.ts";
export { MODE_BITS } from "./mode.ts";
export { basename, dirname, isWithin, normalizePath, relativePath, resolvePath } from "./path.ts";
export type { PinnedFetch, Platform, UserSettings } from "./platform.ts";
export type { ProcessOptions, RunningProcess } from "./process.ts";
export type { Shell, ShellOptions, ShellOutput, ShellResult } from "./shell.ts";
export type { AcquireOptions, Lease, LogEntry, Storage } from "./storage.ts";
export { checkStorageKey } from "./storage-key.ts";
export { canonicalFiles } from "./canonical-files.ts";
export { SILENT_TERMINAL, type Spinner, type TerminalOutput } from "./terminal.ts";
