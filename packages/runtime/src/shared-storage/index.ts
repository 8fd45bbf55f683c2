export type { LeaseClaim, LeaseTerms, StorageBackend, ValueWrite } from "./backend.ts";
export { type SharedStorage, sharedStorage, type SharedStorageOptions } from "./shared-storage.ts";
