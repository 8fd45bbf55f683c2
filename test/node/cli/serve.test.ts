import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runPostgres } from "../../support/servers/postgres.ts";
import { runRedis } from "../../support/servers/redis.ts";
import { installedCommand } from "../../support/terminal/installed-command.ts";

const SOURCES = join(import.meta.dirname, "../../../packages/adapters-node/src/cli/main.ts");
const TOKEN = "a-token-of-24-characters";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let home: string;
const started = new Set<ChildProcess>();
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-serve-")));
});
afterEach(async () => {
  for (const child of started) child.kill("SIGKILL");
  started.clear();
  await rm(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

type Variables = Record<string, string>;

function start(program: readonly string[], env: Variables = {}) {
  const child = spawn(process.execPath, [...program], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ROBOTA_TOKEN: TOKEN, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
  const ended = once(child, "close").then(() => ({ ...output, exitCode: child.exitCode }));
  return { child, output, ended };
}

const robota = (args: readonly string[], env?: Variables) => start([installed, ...args], env).ended;

/** Starts a server; resolves to its address once it listens. */
async function serve(
  args: readonly string[] = [],
  program: readonly string[] = [installed],
): Promise<{ url: string; child: ChildProcess; ended: ReturnType<typeof start>["ended"] }> {
  const options = ["serve", "--port", "0", "--provider", "offline", ...args];
  const { child, output, ended } = start([...program, ...options]);
  await vi.waitUntil(() => output.stdout.includes("\n") || child.exitCode !== null, {
    timeout: 90_000,
  });
  if (child.exitCode !== null) throw new Error(output.stderr);
  return { url: output.stdout.trim(), child, ended };
}

async function call<Body>(url: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${url}/v1/sessions${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : null,
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as Body;
}

interface Frame {
  type: string;
  event?: { type: string; response?: string };
}

/** Opens a socket of a session; its frames, and a promise of its end. */
function openSocket(url: string, session: string, token = TOKEN) {
  const bearer = `robota.bearer.${Buffer.from(token).toString("base64url")}`;
  const address = `${url.replace("http", "ws")}/v1/sessions/${session}/socket`;
  const socket = new WebSocket(address, ["robota.v1", bearer]);
  const frames: Frame[] = [];
  socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data)) as Frame));
  const closed = new Promise<void>((resolve) =>
    socket.addEventListener("close", () => resolve(), { once: true }),
  );
  return { socket, frames, closed };
}

describe("robota serve", () => {
  it("serves a session over a WebSocket, to callers with its token", async () => {
    const { url, child, ended } = await serve();
    const { id } = await call<{ id: string }>(url, "", {});
    const { socket, frames, closed } = openSocket(url, id);
    await vi.waitUntil(() => frames[0]?.type === "hello", { timeout: 60_000 });
    expect(socket.protocol).toBe("robota.v1");
    const send = (frame: object) => socket.send(JSON.stringify({ v: 1, ...frame }));
    send({ type: "subscribe", after: 0 });
    const prompt = { type: "request", id: "1", method: "POST", path: "messages" };
    send({ ...prompt, body: { text: "help" } });
    await vi.waitUntil(() => frames.some(({ event }) => event?.type === "turn_end"), {
      timeout: 60_000,
    });
    send({ type: "ping" });
    await vi.waitUntil(() => frames.some(({ type }) => type === "pong"), { timeout: 60_000 });

    const refused = openSocket(url, id, "another-token");
    await refused.closed;
    expect(refused.frames).toEqual([]);
    const missing = openSocket(url, "no-such-session");
    await missing.closed;
    expect(missing.frames).toEqual([]);

    // Its end ends the sockets.
    child.kill("SIGTERM");
    await closed;
    expect(await ended).toMatchObject({ exitCode: 143 });
  });

  it("says that its port is taken, and how to get another", async () => {
    const first = await serve(["--provider", "offline"]);
    const { port } = new URL(first.url);
    const { exitCode, stderr } = await robota(["serve", "--port", port, "--provider", "offline"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `robota: Port ${port} of 127.0.0.1 is taken\nChoose another one with --port; 0 takes any that is free.\n`,
    );
    first.child.kill("SIGTERM");
    await first.ended;
  });

  it("says what to install for a database, and keeps its password to itself", async () => {
    for (const [address, packages] of [
      ["postgres://me:secret@127.0.0.1:1/db", "@robota/storage-postgres pg"],
      ["redis://me:secret@127.0.0.1:1", "@robota/storage-redis redis"],
    ] as const) {
      const { exitCode, stderr } = await robota(["serve", "--storage", address]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`npm install --global ${packages}`);
      expect(stderr).not.toContain("secret");
    }
    const unknown = await robota(["serve", "--storage", "mysql://me:secret@host/db"]);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain("--storage is an address such as postgres://… or redis://…");
    expect(unknown.stderr).not.toContain("secret");
    const { stdout } = await robota(["doctor", "--output-format", "json"]);
    const checks = JSON.parse(stdout) as { name: string; state: string; fix?: string }[];
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: "storage postgres",
        state: "missing",
        fix: "For serve --storage: npm install --global @robota/storage-postgres pg",
      }),
    );
  });

  it("says what to install for the playground", async () => {
    const { exitCode, stderr } = await robota(["playground"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("npm install --global @robota/playground");
  });

  for (const [name, run] of [
    ["PostgreSQL", runPostgres],
    ["Redis", runRedis],
  ] as const) {
    it(`keeps sessions in ${name}, from which another server serves them`, async () => {
      await using database = await run();
      // From its sources, which have the packages beside them.
      const program = ["--conditions=@robota/source", SOURCES];
      const args = ["--storage", database.url];
      const first = await serve(args, program);
      const { id } = await call<{ id: string }>(first.url, "", {});
      await call(first.url, `/${id}/messages`, { text: "help" });
      const hasAnswer = async (url: string): Promise<boolean> =>
        JSON.stringify(await call(url, `/${id}/messages`)).includes("lists files");
      await vi.waitUntil(() => hasAnswer(first.url), { timeout: 90_000, interval: 300 });
      first.child.kill("SIGTERM");
      await first.ended;
      const second = await serve(args, program);
      const { sessions } = await call<{ sessions: { id: string }[] }>(second.url, "");
      expect(sessions.map((session) => session.id)).toEqual([id]);
      expect(await hasAnswer(second.url)).toBe(true);
      second.child.kill("SIGTERM");
      await second.ended;
    });
  }
});

describe("--provider", () => {
  it("names a server of one's own, with its model and its address", async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        asked.push([request.url, (JSON.parse(text) as { model: string }).model]);
        response.writeHead(400, { "content-type": "application/json" }).end("{}");
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    for (const [provider, prefix] of [
      ["ollama", "OLLAMA"],
      ["lmStudio", "LM_STUDIO"],
      ["llamaCpp", "LLAMA_CPP"],
      ["vllm", "VLLM"],
    ] as const) {
      const args = ["-p", "hi", "--provider", provider, "--model", "qwen3"];
      await robota(args, { [`${prefix}_BASE_URL`]: address });
      expect(asked.at(-1)).toEqual(["/v1/chat/completions", "qwen3"]);
      const unnamed = await robota(["-p", "hi", "--provider", provider]);
      expect(unnamed.exitCode).toBe(1);
      expect(unnamed.stderr).toContain(`Set ${prefix}_MODEL`);
    }
    server.close();
    const { stderr, exitCode } = await robota(["-p", "hi", "--provider", "olama"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("ollama, lmStudio, llamaCpp, vllm");
  });
});
