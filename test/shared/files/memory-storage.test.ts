import { storageContract } from "@robota/runtime/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { runContract } from "../../support/run-contract.ts";

runContract(
  "MemoryStorage",
  storageContract(() => {
    const storage = new MemoryStorage();
    return { open: () => new MemoryStorage({ sharedWith: storage }) };
  }),
);
