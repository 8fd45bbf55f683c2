import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { listSessions } from "@robota/runtime";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { startWorkerd, type Workerd } from "../workerd.ts";

let installed: string;
let workerd: Workerd;
/** An address that stays the same when the worker is started again. */
let front: Server;
let url: string;
let home: string;

beforeAll(async () => {
  installed = await installedCommand();
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: { API_TOKENS: JSON.stringify({ ann: "ann-secret" }) },
  });
  front = createServer((client) => {
    const server = connect(Number(new URL(workerd.url).port), "127.0.0.1");
    const end = (one: Socket, other: Socket): void =>
      void one.on("error", () => other.destroy()).on("close", () => other.destroy());
    end(client, server);
    end(server, client);
    client.pipe(server).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  front.close();
  await workerd[Symbol.asyncDispose]();
});

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-remote-")));
});
afterEach(() => rm(home, { recursive: true }));

interface Started {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  send: (line: object) => void;
  finish: () => void;
}

/** Starts the command line with a server's token. */
function start(
  args: readonly string[],
  { token = "ann-secret", where = ["--remote", url] } = {},
): Started {
  const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", ROBOTA_TOKEN: token };
  const all = [installed, ...where, ...args];
  const child = spawn(process.execPath, all, { cwd: home, env });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(() => ({ ...output, exitCode: child.exitCode }));
  return {
    child,
    output,
    ended,
    send: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    finish: () => void child.stdin.end(),
  };
}

/** Runs a command on sessions of this machine, which a script answers. */
async function local(...args: string[]): Promise<Awaited<Started["ended"]>> {
  const { ended, finish } = start(args, { where: [] });
  finish();
  return ended;
}

function robota(...args: string[]): Started["ended"] {
  const { ended, finish } = start(args);
  finish();
  return ended;
}

/** The lines of JSON that were printed completely. */
function printed(text: string): { type: string; [field: string]: unknown }[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

it("prints the answer of a session in the worker, and goes on with it in another process", async () => {
  const first = await robota("-p", "list **/*");
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("README.md") });
  const id = /Session (\S+)/.exec(first.stderr)?.[1] ?? "";
  const second = await robota("-p", "help", "--resume", id, "--output-format", "json");
  expect(second.exitCode).toBe(0);
  expect(JSON.parse(second.stdout)).toMatchObject({
    type: "result",
    sessionId: id,
    state: "complete",
  });
});

it("ends with 3 at a call that nobody can approve, and says where to allow it", async () => {
  const { exitCode, stderr } = await robota("-p", "run echo x > out.txt");
  expect(exitCode).toBe(3);
  expect(stderr).toContain("in the settings of the server");
});

/** A run that a program drives, up to the request for permission of its command. */
async function startAsking(commandLine: string) {
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const started = start(formats);
  const has = (wanted: string) => () =>
    printed(started.output.stdout).find(({ type }) => type === wanted);
  const seen = async (wanted: string) => {
    await expect.poll(has(wanted)).toBeDefined();
    return has(wanted)();
  };
  started.send({ type: "prompt", text: `run ${commandLine}` });
  const asked = await seen("permission_request");
  const { id: requestId } = (asked?.["request"] ?? {}) as { id?: string };
  return {
    ...started,
    seen,
    allow: () => started.send({ type: "permission", requestId, decision: "allow" }),
  };
}

it("passes the answers of a program on to the worker", async () => {
  const { allow, finish, ended } = await startAsking("echo allowed > out.txt; cat out.txt");
  allow();
  finish();
  const { exitCode, stdout } = await ended;
  expect(exitCode).toBe(0);
  expect(printed(stdout).at(-1)).toMatchObject({
    type: "result",
    state: "complete",
    response: expect.stringContaining("allowed"),
  });
});

it("ends with 1 for a token that the worker does not know", async () => {
  const { ended, finish } = start(["-p", "help"], { token: "guess" });
  finish();
  const { exitCode, stdout, stderr } = await ended;
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("bearer token");
  expect(stderr).not.toContain("guess");
});

/** The prompts in the log of a session of this machine. */
async function promptsOf(id: string): Promise<unknown[]> {
  await using platform = nodePlatform({ home });
  const prompts: unknown[] = [];
  for await (const { value } of platform.storage.read(`sessions/${id}`)) {
    const { type, input } = JSON.parse(new TextDecoder().decode(value));
    if (type === "turn_start") prompts.push(input);
  }
  return prompts;
}

it("moves a session of this machine to the worker, goes on there, and brings it back as itself", async () => {
  const headers = async () => {
    await using platform = nodePlatform({ home });
    return await listSessions(platform.storage);
  };
  await local("-p", "help one");
  const [{ id: here } = { id: "" }] = await headers();
  const wrong = start(["sessions", "move", here, "--to", url], { token: "guess", where: [] });
  wrong.finish();
  expect(await wrong.ended).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("Authorization"),
  });
  expect((await headers())[0]?.handedOverTo).toBeUndefined();

  const moved = await local("sessions", "move", here, "--to", url);
  expect(moved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("--resume") });
  const there = moved.stdout.trim();
  expect(there).toBe(here);
  expect(await headers()).toMatchObject([{ id: here, handedOverTo: { sessionId: there, url } }]);
  expect((await local("sessions", "list")).stdout).toContain(`moved to ${url}`);
  expect(await local("-p", "help", "--resume", here)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(there),
  });
  expect((await robota("-p", "run echo from-there", "--resume", there)).exitCode).toBe(0);

  const back = await local("sessions", "move", there, "--from", url);
  expect(back).toMatchObject({ exitCode: 0, stdout: `${here}\n` });
  expect(await headers()).toMatchObject([{ id: here }]);
  expect((await headers())[0]?.handedOverTo).toBeUndefined();
  expect((await local("-p", "help two", "--resume", here)).exitCode).toBe(0);
  expect(await promptsOf(here)).toEqual(["help one", "run echo from-there", "help two"]);
  // A list of the worker says that it went on elsewhere.
  const answer = await fetch(`${url}/v1/sessions`, {
    headers: { authorization: "Bearer ann-secret" },
  });
  const { sessions } = (await answer.json()) as { sessions: { id: string }[] };
  expect(sessions.find(({ id }) => id === there)).toMatchObject({
    handedOverTo: { sessionId: here },
  });
});

it("goes on with a worker that was killed while it waited for an answer, and again in a command", async () => {
  const restart = async (): Promise<void> => {
    await workerd.kill();
    await workerd.start();
  };
  const { allow, finish, seen, ended } = await startAsking("sleep 2; echo slept > s.txt");
  await restart();
  allow();
  await seen("permission_decision");
  await restart();
  finish();
  const { exitCode, stdout } = await ended;
  expect(exitCode).toBe(0);
  expect(printed(stdout).at(-1)).toMatchObject({ type: "result", state: "complete" });
  expect(printed(stdout).filter(({ type }) => type === "turn_end")).toHaveLength(1);
});
