import { shellContract } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { runContract } from "../../support/run-contract.ts";

runContract(
  "VirtualShell",
  shellContract(async () => {
    const fs = new MemoryFileSystem();
    await fs.mkdir("/code");
    return { shell: new VirtualShell({ fs }), fs, cwd: "/code" };
  }),
);
