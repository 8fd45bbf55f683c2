export { MemoryFileSystem, type MemoryFileSystemOptions } from "./memory-file-system.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
