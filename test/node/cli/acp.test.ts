import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  ndJsonStream,
  type NewSessionRequest,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let base: string;
let cwd: string;
let home: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-acp-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  await mkdir(cwd);
  await mkdir(home);
  await writeFile(join(cwd, "a.txt"), "alpha\n");
});
afterEach(() => rm(base, { recursive: true }));

interface Editor {
  agent: ClientContext;
  child: ChildProcessWithoutNullStreams;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
}

/** An editor that starts the command and talks to it; resolves to its exit code and what it wrote to stderr. */
async function withEditor(args: string[], run: (editor: Editor) => Promise<void>) {
  const command = [installed, "acp", ...args];
  const env = { PATH: process.env.PATH, HOME: home };
  const child = spawn(process.execPath, command, { cwd: base, env });
  const closed = once(child, "close");
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  await client({ name: "editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: "selected" as const, optionId: "once" } };
    })
    .connectWith(stream, async (agent) => {
      const initialized = await agent.request("initialize", { protocolVersion: 1 });
      expect(initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: "robota" } });
      await run({ agent, child, updates, asked });
    });
  child.stdin.end();
  await closed;
  return { exitCode: child.exitCode, stderr };
}

function say(agent: ClientContext, sessionId: string, text: string): Promise<PromptResponse> {
  const params: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
  return agent.request("session/prompt", params);
}

function wordsOf(updates: readonly SessionUpdate[]): string {
  return updates
    .map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");
}

it("works on the editor's project, and asks before it writes", async () => {
  const { exitCode, stderr } = await withEditor([], async ({ agent, updates, asked }) => {
    const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
    expect(await say(agent, sessionId, "read a.txt")).toEqual({ stopReason: "end_turn" });
    expect(wordsOf(updates)).toContain("alpha");
    await say(agent, sessionId, "run echo beta > b.txt; cat b.txt");
    expect(asked).toMatchObject([{ toolCall: { kind: "execute" } }]);
    expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("beta\n");
  });
  expect([exitCode, stderr]).toEqual([0, ""]);
});

it("lists and loads what another process began, with its past", async () => {
  let id = "";
  await withEditor([], async ({ agent, child }) => {
    const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
    id = sessionId;
    await say(agent, sessionId, "read a.txt");
    child.kill("SIGKILL");
  });
  await withEditor([], async ({ agent, updates }) => {
    const { sessions } = await agent.request("session/list", { cwd });
    expect(sessions).toMatchObject([{ sessionId: id, cwd, title: "read a.txt" }]);
    await agent.request("session/load", { sessionId: id, cwd, mcpServers: [] });
    expect(wordsOf(updates)).toContain("alpha");
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "user_message_chunk",
        content: { type: "text", text: "read a.txt" },
      }),
    );
    expect(await say(agent, id, "read a.txt")).toEqual({ stopReason: "end_turn" });
  });
});

it("connects the editor's MCP servers, in any words it has for them", async () => {
  const server = join(import.meta.dirname, "../../support/mcp/stdio-server.ts");
  await withEditor([], async ({ agent, updates }) => {
    const mine = { name: "my process", command: process.execPath, args: [server], env: [] };
    const params: NewSessionRequest = { cwd, mcpServers: [mine] };
    const { sessionId } = await agent.request("session/new", params);
    await say(agent, sessionId, "/mcp");
    expect(wordsOf(updates)).toMatch(/my-process.*connected/s);
  });
});

it("keeps the rules of its command line, and lets the editor choose the mode", async () => {
  const rules = ["--deny", "Bash(echo *)", "--permission-mode", "plan"];
  await withEditor(rules, async ({ agent, updates, asked }) => {
    const { sessionId, modes } = await agent.request("session/new", { cwd, mcpServers: [] });
    expect(modes?.currentModeId).toBe("plan");
    await agent.request("session/set_mode", { sessionId, modeId: "bypassPermissions" });
    await say(agent, sessionId, "run echo beta > b.txt");
    expect(asked).toEqual([]);
    expect(updates).toContainEqual(expect.objectContaining({ status: "failed" }));
  });
  await expect(readFile(join(cwd, "b.txt"))).rejects.toThrow("ENOENT");
});
