import { type ContractCase, contractCases } from "./contract.ts";
import type { StorageFixture } from "./storage-cases/fixture.ts";
import { leaseCases } from "./storage-cases/leases.ts";
import { logCases } from "./storage-cases/logs.ts";
import { nameCases } from "./storage-cases/names.ts";
import { takeOverCases } from "./storage-cases/take-overs.ts";
import { valueCases } from "./storage-cases/values.ts";

/** The promises of `Storage`, as cases that any test runner can run. `create` gives an empty store each time. */
export function storageContract(
  create: () => StorageFixture | Promise<StorageFixture>,
): ContractCase[] {
  const tables = [valueCases, logCases, leaseCases, takeOverCases, nameCases];
  return tables.flatMap((table) => contractCases(table, create));
}
