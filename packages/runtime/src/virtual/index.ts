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
