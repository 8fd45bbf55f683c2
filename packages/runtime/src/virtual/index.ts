// Files and storage in memory, layers over other files, dry runs, and archives.
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
export { compress, decompress, isGzip } from "./archive/compression.ts";
export { readTar, type TarEntry, writeTar } from "./archive/tar-format.ts";
export { type NewZipEntry, readZip, writeZip, type ZipEntry } from "./archive/zip-format.ts";
export { dryRun, type DryRun } from "./dry-run.ts";
export { GroupCommit, type Outcome } from "./group-commit.ts";
export { LeaseTable } from "./lease-table.ts";
export { MemoryFileSystem, type MemoryFileSystemOptions } from "./memory-file-system.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
export { OverlayFileSystem, type OverlayFileSystemOptions } from "./overlay-file-system.ts";
export type { FileSystemChange, FileVersion } from "./overlay/changes.ts";
export {
  checkPath,
  childPath,
  checkTarget,
  type DirectoryOf,
  locateCanonical,
  type Lookup,
  type Place,
  walk,
  walkLater,
  type WalkNode,
  walkNow,
  walkCanonical,
} from "./path-walk.ts";
export { checkRename, renameRefusal } from "./rename-rules.ts";
export { ReadWriteLock } from "./read-write-lock.ts";
export { walkTree } from "./tree-walk.ts";
