import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 60_000 });

const MAIN = join(import.meta.dirname, "../../../packages/adapters-node/src/cli/main.ts");

const ANSWER = [
  {
    type: "message_start",
    message: { id: "msg_1", model: "m", usage: { input_tokens: 10, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

interface Asked {
  model: string;
  messages: unknown[];
}

/** A model service on loopback. */
const asked: Asked[] = [];
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
  asked.push(JSON.parse(Buffer.concat(body).toString()) as Asked);
  if (!request.url?.includes("/messages")) return void response.writeHead(400).end();
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of ANSWER)
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
const service = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.destroy(error as Error));
});

let home: string;
beforeEach(async () => {
  asked.length = 0;
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-resume-")));
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
});
afterEach(async () => {
  service.close();
  await rm(home, { recursive: true });
});

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { port } = service.address() as AddressInfo;
  const all = ["--conditions=@robota/source", MAIN, "--output-format", "json", ...args];
  const address = `http://127.0.0.1:${port}`;
  const variables = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: "key-on-loopback",
    ANTHROPIC_BASE_URL: address,
    OPENROUTER_BASE_URL: address,
    ...env,
  };
  return new Promise<{ stdout: string; stderr: string; failed: boolean }>((resolve) => {
    const child = execFile(
      process.execPath,
      all,
      { cwd: home, env: variables },
      (error, stdout, stderr) => resolve({ stdout, stderr, failed: error !== null }),
    );
    child.stdin?.end();
  });
}

async function robota(...args: string[]): Promise<{ sessionId: string; response: string }> {
  const { stdout, stderr, failed } = await run(args);
  if (failed) throw new Error(stderr);
  return JSON.parse(stdout) as { sessionId: string; response: string };
}

it("resumes a session with another model, which it keeps, and goes on with its conversation", async () => {
  const { sessionId } = await robota("-p", "one", "--model", "claude-sonnet-5");
  await robota("-p", "two", "--resume", sessionId, "--model", "opus");
  // Without a model, the one that was chosen last.
  await robota("-p", "three", "--resume", sessionId);
  const again = await robota("-p", "four", "-c", "--model", "claude-haiku-4-5");
  expect(again.sessionId).toBe(sessionId);
  expect(asked.map(({ model }) => model)).toEqual([
    "claude-sonnet-5",
    "claude-opus-5",
    "claude-opus-5",
    "claude-haiku-4-5",
  ]);
  for (const [turn, { messages }] of asked.entries()) expect(messages).toHaveLength(2 * turn + 1);
  for (const text of ["one", "two", "three", "four"])
    expect(JSON.stringify(asked.at(-1)?.messages)).toContain(text);
});

it("resumes a session with the provider and the model that it had, whatever a new one would begin with", async () => {
  const env = { ANTHROPIC_MODEL: "claude-haiku-4-5", OPENROUTER_API_KEY: "another-key" };
  await run(["-p", "one"], env);
  await run(["-p", "two", "-c"], { ...env, ANTHROPIC_MODEL: "claude-opus-5" });
  expect(asked.map(({ model }) => model)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"]);

  // This service refuses: it is what is asked that counts.
  await run(["-p", "one", "--provider", "openRouter", "--model", "some/model"], env);
  await run(["-p", "two", "-c"], env);
  expect(asked.slice(2).map(({ model }) => model)).toEqual(["some/model", "some/model"]);
  await run(["-p", "three", "-c", "--provider", "anthropic"], env);
  expect(asked.at(-1)?.model).toBe("claude-haiku-4-5");
});

it("says which model a session had when its key is missing, and asks no other service", async () => {
  const env = { OPENROUTER_API_KEY: "another-key" };
  const { sessionId } = await robota("-p", "one", "--model", "claude-haiku-4-5");
  const { stderr, failed } = await run(["-p", "two", "-c"], { ...env, ANTHROPIC_API_KEY: "" });
  expect(failed).toBe(true);
  for (const part of ["claude-haiku-4-5", "There is no key for Anthropic", "ANTHROPIC_API_KEY"])
    expect(stderr).toContain(part);
  expect(stderr).toMatch(/--model|--provider/);
  expect(asked).toHaveLength(1);
  expect((await robota("-p", "three", "--resume", sessionId)).sessionId).toBe(sessionId);
});
