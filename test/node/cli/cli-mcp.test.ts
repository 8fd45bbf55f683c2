import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

vi.setConfig({ testTimeout: 60_000 });

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-mcp-")));
  await writeFile(join(home, "a.txt"), "one\n");
});
afterEach(() => rm(home, { recursive: true }));

it.each(["legacy", "auto"] as const)(
  "serves a session on standard input and output to a client that negotiates: %s",
  async (mode) => {
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
    );
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "allow" } };
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [await installedCommand(), "mcp", "--provider", "offline"],
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, NO_COLOR: "1" },
      stderr: "ignore",
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("submit");
    const read = await client.readResource({ uri: "workspace:///a.txt" });
    expect(read.contents).toMatchObject([{ text: "one\n" }]);
    const result = await client.callTool({
      name: "submit",
      arguments: { text: "write b.txt: two" },
    });
    expect([asked, result.isError]).toEqual([[expect.stringContaining("Write")], undefined]);
    const written = await client.readResource({ uri: "workspace:///b.txt" });
    expect(written.contents).toMatchObject([{ text: expect.stringContaining("two") as string }]);
    await client.close();
  },
);
