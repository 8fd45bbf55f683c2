import { BrowserStorage } from "@robota/adapters-web";
import { storageContract } from "@robota/runtime/testing";
import { runContract } from "../support/run-contract.ts";

runContract(
  "BrowserStorage",
  storageContract(() => {
    const workspace = crypto.randomUUID();
    const opened: BrowserStorage[] = [];
    return {
      open() {
        const storage = new BrowserStorage(workspace);
        opened.push(storage);
        return storage;
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(opened.map((storage) => storage.dispose()));
      },
    };
  }),
);
