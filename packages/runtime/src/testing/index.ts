export type { ContractCase } from "./contract.ts";
export { type FileSystemContractOptions, fileSystemContract } from "./file-system-contract.ts";
export type { StorageFixture } from "./storage-cases/fixture.ts";
export { storageContract } from "./storage-contract.ts";
