export { NodeFileSystem, type NodeFileSystemOptions } from "./file-system.ts";
export { type ResolveHost } from "./pinned-fetch.ts";
export { nodePlatform, type NodePlatformOptions } from "./platform.ts";
export { NodeShell, type NodeShellOptions } from "./shell.ts";
export { nodeVirtualShell, type NodeVirtualShellOptions } from "./virtual-shell/virtual-shell.ts";
export { NodeStorage, type NodeStorageOptions } from "./storage.ts";
export { nodeTerminal, type NodeTerminalOptions } from "./terminal.ts";
export { createProjectSessionStore } from "./session-store.ts";
