import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type ModelService, serveModel } from "../../support/network/model-service.ts";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { serveSessions } from "../../support/terminal/served-sessions.ts";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let service: ModelService;
let home: string;
beforeEach(async () => {
  service = await serveModel();
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-resume-")));
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

function run(args: readonly string[], env: Record<string, string> = {}) {
  const all = [installed, "--output-format", "json", ...args];
  const variables = {
    PATH: process.env["PATH"],
    HOME: home,
    ...service.environment,
    OPENROUTER_BASE_URL: service.address,
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
  expect(service.asked.map(({ model }) => model)).toEqual([
    "claude-sonnet-5",
    "claude-opus-5",
    "claude-opus-5",
    "claude-haiku-4-5",
  ]);
  for (const [turn, { messages }] of service.asked.entries())
    expect(messages).toHaveLength(2 * turn + 1);
  for (const text of ["one", "two", "three", "four"])
    expect(JSON.stringify(service.asked.at(-1)?.messages)).toContain(text);
});

it("resumes a session with the provider and the model that it had, whatever a new one would begin with", async () => {
  const env = { ANTHROPIC_MODEL: "claude-haiku-4-5", OPENROUTER_API_KEY: "another-key" };
  await run(["-p", "one"], env);
  await run(["-p", "two", "-c"], { ...env, ANTHROPIC_MODEL: "claude-opus-5" });
  expect(service.asked.map(({ model }) => model)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"]);

  // This service refuses: it is what is asked that counts.
  await run(["-p", "one", "--provider", "openRouter", "--model", "some/model"], env);
  await run(["-p", "two", "-c"], env);
  expect(service.asked.slice(2).map(({ model }) => model)).toEqual(["some/model", "some/model"]);
  await run(["-p", "three", "-c", "--provider", "anthropic"], env);
  expect(service.asked.at(-1)?.model).toBe("claude-haiku-4-5");
});

it("says which model a session had when its key is missing, and asks no other service", async () => {
  const env = { OPENROUTER_API_KEY: "another-key" };
  const { sessionId } = await robota("-p", "one", "--model", "claude-haiku-4-5");
  const { stderr, failed } = await run(["-p", "two", "-c"], { ...env, ANTHROPIC_API_KEY: "" });
  expect(failed).toBe(true);
  for (const part of ["claude-haiku-4-5", "There is no key for Anthropic", "ANTHROPIC_API_KEY"])
    expect(stderr).toContain(part);
  expect(stderr).toMatch(/--model|--provider/);
  expect(service.asked).toHaveLength(1);
  expect((await robota("-p", "three", "--resume", sessionId)).sessionId).toBe(sessionId);
});

it("serves a session with the provider and the model that it had, where the server has a key for it", async () => {
  const model = "claude-haiku-4-5";
  const { sessionId } = await robota("-p", "one", "--model", model);
  await using server = await serveSessions(installed, {
    cwd: home,
    home,
    env: service.environment,
  });
  const { status } = await fetch(`${server.url}/v1/sessions/${sessionId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "two" }),
  });
  expect(status).toBe(202);
  await vi.waitUntil(() => service.asked.length === 2, { timeout: 60_000 });
  expect(service.asked.map((request) => request.model)).toEqual([model, model]);
  expect(service.asked[1]?.messages).toHaveLength(3);
});
