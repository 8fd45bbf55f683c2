import { sessionOperations } from "./operations/session-operations.ts";
import { turnOperations } from "./operations/turn-operations.ts";
import { recordOperations } from "./operations/record-operations.ts";
import { fileOperations } from "./operations/file-operations.ts";
import { serverOperations } from "./operations/server-operations.ts";
import type { Operation } from "./operations/operation.ts";

export const operations = {
  ...sessionOperations,
  ...turnOperations,
  ...recordOperations,
  ...fileOperations,
  ...serverOperations,
} satisfies Record<string, Operation>;

export const operationList: readonly Operation[] = Object.values(operations);
