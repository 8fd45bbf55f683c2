export { NodeFileSystem, type NodeFileSystemOptions } from "./file-system.ts";
export { NodeStorage, type NodeStorageOptions } from "./storage.ts";
export { NodeShell, type NodeShellOptions } from "./shell.ts";
