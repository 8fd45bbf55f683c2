export {
  BrowserFileSystem,
  type BrowserFileSystemOptions,
} from "./file-system/browser-file-system.ts";
export type { PathChange } from "./file-system/operation.ts";
export { BrowserStorage } from "./storage/browser-storage.ts";
