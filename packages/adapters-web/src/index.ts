export {
  BrowserFileSystem,
  type BrowserFileSystemOptions,
} from "./file-system/browser-file-system.ts";
export type { PathChange } from "./file-system/operation.ts";
export type { Availability, LanguageModel } from "./prompt-api/language-model.ts";
export {
  type PrepareOptions,
  PromptApiProvider,
  type PromptApiProviderOptions,
} from "./prompt-api/prompt-api-provider.ts";
export { BrowserStorage } from "./storage/browser-storage.ts";
export { type WorkerShell, workerShell, type WorkerShellOptions } from "./shell/worker-shell.ts";
export { requestPersistence, type StorageState, type StorageUse, storageUse } from "./kept-data.ts";
export { type BrowserPlatform, browserPlatform, type BrowserPlatformOptions } from "./platform.ts";
export {
  type DroppedItem,
  type DroppedItems,
  droppedSource,
  fileSource,
  folderSource,
} from "./workspaces/folder-source.ts";
export { pickArchive, pickFolder, saveStream } from "./workspaces/pick.ts";
export { WorkspaceError, type WorkspaceErrorCode } from "./workspaces/workspace-error.ts";
export { type WorkspaceInfo, Workspaces, type WorkspacesOptions } from "./workspaces/workspaces.ts";
