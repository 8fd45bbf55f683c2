import { shellContract } from "@robota/runtime/testing";
import { MemoryFileSystem, VirtualShell } from "@robota/runtime/virtual";
import { runContract } from "../run-contract.ts";

runContract(
  "VirtualShell",
  shellContract(async () => {
    const fs = new MemoryFileSystem();
    await fs.mkdir("/code");
    return { shell: new VirtualShell({ fs }), fs, cwd: "/code" };
  }),
);
