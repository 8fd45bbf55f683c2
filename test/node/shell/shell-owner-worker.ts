// Runs as a process of its own that uses a virtual shell: `shell-owner-worker ends|waits`. Each line that it tells is written at
// once and by itself.
import { writeSync } from "node:fs";
import { nodeVirtualShell } from "@robota/adapters-node";
import { MemoryFileSystem } from "@robota/runtime/virtual";

const fs = new MemoryFileSystem({ files: { "/code/": "" } });
const shell = nodeVirtualShell({ fs, commands: new URL("deaf-commands.ts", import.meta.url) });
const run = (command: string) =>
  shell.exec(command, { cwd: "/code", onOutput: () => writeSync(1, "begun\n") });

await run("echo idle");
// Two at once take a process each.
if (process.argv[2] === "waits")
  await Promise.all([run("echo first; deaf"), run("echo second; deaf")]);
