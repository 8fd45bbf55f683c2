import { BrowserFileSystem } from "@robota/adapters-web";
import { fileSystemContract } from "@robota/runtime/testing";
import { runContract } from "../support/run-contract.ts";

runContract(
  "BrowserFileSystem",
  fileSystemContract(() => new BrowserFileSystem(crypto.randomUUID())),
);
