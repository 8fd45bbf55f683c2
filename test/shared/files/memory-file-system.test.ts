import { fileSystemContract } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { runContract } from "../../support/run-contract.ts";

runContract(
  "MemoryFileSystem",
  fileSystemContract(() => new MemoryFileSystem(), { opensFiles: true }),
);
