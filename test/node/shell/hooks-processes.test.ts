import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { type Platform, runHooks } from "@robota/runtime";
import { type HookDefinition } from "@robota/runtime/hooks";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { beforeTool, command, guards } from "../../support/hook-inputs.ts";
import { turnClock } from "../../support/time/own-time.ts";

// The promise is 250 ms; the rest is for a machine that does other things at the same time.
const SETTLED_MS = 450;

let cwd: string;
let platform: Platform;
let tried = 0;
let survived = 0;

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "robota-hooks-")));
  platform = nodePlatform({ home: cwd });
});
afterEach(async () => {
  await platform.dispose();
  await rm(cwd, { recursive: true });
});
afterAll(() => console.log(`hooks tried: ${tried}, survivors: ${survived}`));

async function run(hook: HookDefinition, signal?: AbortSignal) {
  tried += 1;
  const options = { platform, signal };
  using clock = turnClock();
  const outcome = await runHooks(guards(hook), "PreToolUse", beforeTool(cwd), options);
  return { outcome, took: clock.ms() };
}

/** The processes that this test's hooks started and that still run: they work in its directory. */
async function survivors(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      const isOurs = environment.includes(`CLAUDE_PROJECT_DIR=${cwd}`);
      return isOurs && line !== "" && !/\) [ZX] /.test(line) ? `${pid} ${line}` : "";
    }),
  );
  const found = texts.filter((text) => text !== "");
  survived += found.length;
  return found;
}

async function begun(file: string): Promise<void> {
  await expect
    .poll(() => readFile(join(cwd, file), "utf8").catch(() => ""), { interval: 5 })
    .not.toBe("");
}

describe("a hook's processes all end", () => {
  const stubborn = "trap '' TERM INT HUP; echo x > begun; while :; do sleep 0.05; done";
  const daemon =
    "(trap '' TERM HUP; setsid bash -c 'echo x > begun; exec sleep 300' </dev/null >/dev/null 2>&1 &); ";

  it.each([
    ["ignores SIGTERM", stubborn],
    ["has children that ignore SIGTERM", `(${stubborn}) & (${stubborn}) & wait`],
    ["is a daemon while it waits", `${daemon} sleep 300`],
  ])("after a timeout, when the hook %s", async (_what, text) => {
    const { outcome, took } = await run(command(text, { timeout: 0.5, onFailure: "block" }));
    expect(outcome).toMatchObject({ blocked: true, results: [{ exitCode: 124 }] });
    expect(took).toBeLessThan(500 + SETTLED_MS);
    expect(await survivors()).toEqual([]);
  });

  it.each([
    ["ignores SIGTERM", stubborn],
    ["is a daemon while it waits", `${daemon} sleep 300`],
  ])("after an abort, when the hook %s", async (_what, text) => {
    const controller = new AbortController();
    const running = run(command(text), controller.signal);
    await begun("begun");
    using clock = turnClock();
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(clock.ms()).toBeLessThan(SETTLED_MS);
    await expect.poll(survivors).toEqual([]);
  });

  it.each([
    ["a daemon", `${daemon} while [ ! -s begun ]; do sleep 0.01; done; exit 0`],
    ["a child that holds its output", "sleep 300 & exit 0"],
  ])("when the hook ends by itself and leaves %s", async (_what, text) => {
    const { outcome } = await run(command(text));
    expect(outcome).toMatchObject({ blocked: false, warnings: [], results: [{ exitCode: 0 }] });
    expect(await survivors()).toEqual([]);
  });
});

describe("a hook that is a process", () => {
  it("may close stdin before reading it, also with large input", async () => {
    tried += 1;
    const input = beforeTool(cwd, "Write", { content: "x".repeat(5_000_000) });
    const config = guards(command("exec 0<&-; echo early >&2; exit 2"));
    const outcome = await runHooks(config, "PreToolUse", input, { platform });
    expect(outcome).toMatchObject({ blocked: true, reason: "early" });
  });

  it("may read much", async () => {
    tried += 1;
    const input = beforeTool(cwd, "Write", { content: "é".repeat(1_000_000) });
    const config = guards(command("wc -c >&2; exit 2"));
    const outcome = await runHooks(config, "PreToolUse", input, { platform });
    expect(Number(outcome.reason)).toBe(new TextEncoder().encode(JSON.stringify(input)).length + 1);
  });

  it("may print 100 MB, of which 64 KB are kept", async () => {
    const { outcome } = await run(command("head -c 100000000 /dev/zero | tr '\\0' x"));
    expect(outcome.results[0]?.stdout).toBe("x".repeat(64 * 1024));
    const json = `printf '{"continue": false, "stopReason": "'; head -c 100000000 /dev/zero | tr '\\0' x; printf '"}'`;
    const cut = await run(command(json, { onFailure: "block" }));
    expect(cut.outcome.blocked).toBe(true);
    expect(await survivors()).toEqual([]);
  });

  it.each([
    ["./nowhere.sh", 127],
    ["./plain.txt", 126],
    ["kill -9 $$", 137],
  ])("that is %s has failed", async (text, exitCode) => {
    await writeFile(join(cwd, "plain.txt"), "not executable");
    const { outcome } = await run(command(text, { onFailure: "block" }));
    expect(outcome).toMatchObject({ blocked: true, results: [{ exitCode }] });
    expect((await run(command(text))).outcome).toMatchObject({ blocked: false });
  });

  it("has failed when its directory is missing", async () => {
    tried += 1;
    const gone = beforeTool(join(cwd, "gone"));
    const config = guards(command("exit 0", { onFailure: "block" }));
    const outcome = await runHooks(config, "PreToolUse", gone, { platform });
    expect(outcome).toMatchObject({ blocked: true, warnings: [expect.stringContaining("gone")] });
  });

  it("runs beside many others", async () => {
    tried += 20;
    const hooks = Array.from({ length: 20 }, (_, index) =>
      command(`sleep 0.1; echo ${index} >&2; exit 2`),
    );
    const outcome = await runHooks(guards(...hooks), "PreToolUse", beforeTool(cwd), { platform });
    expect(outcome.reason).toBe(Array.from({ length: 20 }, (_, index) => index).join("\n"));
    expect(await survivors()).toEqual([]);
  });
});

describe("a hook at an address of the machine", () => {
  let server: Server;
  let origin: string;
  let bodies: string[];
  beforeEach(async () => {
    bodies = [];
    server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        bodies.push(body);
        if (request.url === "/stuck") return;
        if (request.url === "/moved") response.writeHead(307, { location: "/refuse" }).end();
        else if (request.url === "/reset") request.socket.destroy();
        else if (request.url === "/refuse") response.writeHead(403).end("Not now");
        else if (request.url === "/endless") {
          response.writeHead(200);
          const write = (): void => void response.write("x".repeat(65_536), () => write());
          response.on("error", () => {});
          write();
        } else response.writeHead(200).end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("no address");
    origin = `http://127.0.0.1:${address.port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (path: string, allowed = true) => {
    tried += 1;
    const timeout = path === "/stuck" ? 0.3 : 5;
    const hook = { type: "http", url: origin + path, timeout, onFailure: "block" } as const;
    const egress = { allowPrivateOrigins: allowed ? [origin] : [] };
    return runHooks(guards(hook), "PreToolUse", beforeTool(cwd), { platform, egress });
  };

  it("is called over real connections, and fails closed in every case", async () => {
    expect(await ask("/fine")).toMatchObject({ blocked: false, warnings: [] });
    expect(JSON.parse(bodies[0] ?? "")).toEqual(beforeTool(cwd));
    expect(await ask("/refuse")).toMatchObject({ reason: "Not now", warnings: [] });
    for (const path of ["/moved", "/reset", "/stuck", "/endless"]) {
      expect(await ask(path)).toMatchObject({ blocked: true, warnings: [expect.any(String)] });
    }
    // Where it moved to was not asked.
    expect(bodies).toHaveLength(6);
    expect(await ask("/fine", false)).toMatchObject({ blocked: true });
    expect(bodies).toHaveLength(6);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await ask("/fine")).toMatchObject({ blocked: true });
  });
});
