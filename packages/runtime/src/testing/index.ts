export type { ContractCase } from "./contract.ts";
export { type FileSystemContractOptions, fileSystemContract } from "./file-system-contract.ts";
export {
  memoryPlatform,
  type MemoryPlatformOptions,
  type MemoryShellParts,
} from "./memory-platform.ts";
export {
  ScriptedProvider,
  type ScriptedProviderOptions,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedStep,
  type ScriptedToolCall,
} from "./scripted-provider.ts";
export type { ShellFixture } from "./shell-cases/fixture.ts";
export { shellContract } from "./shell-contract.ts";
export type { StorageFixture } from "./storage-cases/fixture.ts";
export { storageContract } from "./storage-contract.ts";
