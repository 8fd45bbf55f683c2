import { nodeVirtualShell } from "@robota/adapters-node";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

it("checks the requests of a process's curl and git in the host", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(new Request(input).url);
    return new Response("public\n");
  };
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  using shell = nodeVirtualShell({ fs, fetch, git: { fetch } });
  const nothing = (): undefined => undefined;
  const refusesAddress = (url: string) =>
    url.includes("denied.example.com") ? "A rule forbids it." : undefined;
  const rules = { refusesFile: nothing, refusesCommand: nothing, refusesAddress };
  const run = (command: string) => shell.exec(command, { cwd: "/code", rules });
  expect((await run("curl -sS http://169.254.169.254/")).exitCode).toBe(7);
  expect((await run("curl -sS https://denied.example.com/")).exitCode).toBe(7);
  expect((await run("git clone http://127.0.0.1:8080/a x")).exitCode).toBe(128);
  expect((await run("git clone https://denied.example.com/a x")).exitCode).toBe(128);
  expect(asked).toEqual([]);
  const { stdout, usedNetwork } = await run("curl -s https://example.com/");
  expect([stdout, usedNetwork]).toEqual(["public\n", true]);
  expect((await run("curl -sS https://denied.example.com/")).usedNetwork).toBeUndefined();
});
