import { workerShell } from "@robota/adapters-web";
import { shellContract } from "@robota/runtime/testing";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { createShellSession } from "@robota/shell";
import { afterAll, describe, expect, it } from "vitest";
import { runContract } from "../support/run-contract.ts";
import { changing, reading } from "../shared/shell/shell-spellings.ts";
import { createWorld, forbid } from "../shared/shell/shell-world.ts";
import { turnClock } from "../support/time/own-time.ts";

const fs = new MemoryFileSystem();
// A limit out of reach, so that a program can be endless.
const limits = { programIterations: 1e12 };
const createWorker = (): Worker =>
  new Worker(new URL("./deaf-worker.ts", import.meta.url), { type: "module" });
const shell = workerShell({ fs, limits });
const listening = workerShell({ fs, limits, createWorker });
afterAll(() => {
  shell.dispose();
  listening.dispose();
});
let directories = 0;
const AUTHOR = { name: "Tab", email: "tab@example.com" };

async function setUp() {
  const cwd = `/code-${++directories}`;
  await fs.mkdir(cwd);
  return { shell, fs, cwd };
}

runContract("workerShell", shellContract(setUp));

describe("workerShell", () => {
  it("terminates an unresponsive program with its worker, and runs the next command", async () => {
    const { cwd } = await setUp();
    await listening.exec("awk 'BEGIN { print 1 }'", { cwd });
    const result = await listening.exec("deaf", { cwd, timeoutMs: 500 });
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    using clock = turnClock();
    const stop = new AbortController();
    let abortedAt = 0;
    const stopped = await listening.exec("echo before; deaf", {
      cwd,
      signal: stop.signal,
      onOutput() {
        abortedAt = clock.ms();
        stop.abort();
      },
    });
    expect(stopped).toMatchObject({ exitCode: 130, stdout: "before\n" });
    expect(clock.ms() - abortedAt).toBeLessThan(1_000);
    expect((await listening.exec("echo next", { cwd })).stdout).toBe("next\n");
  });

  it("runs a command in the worker that is being loaded for it", async () => {
    const { cwd } = await setUp();
    let workers = 0;
    using loading = workerShell({
      fs,
      createWorker() {
        workers += 1;
        return createWorker();
      },
    });
    const [, { stdout }] = await Promise.all([
      loading.load?.(),
      loading.exec("echo first", { cwd }),
    ]);
    expect(stdout).toBe("first\n");
    expect(workers).toBe(1);
  });

  it("ends an aborted command at once, also while its worker is being loaded", async () => {
    const { cwd } = await setUp();
    using loading = workerShell({ fs, createWorker });
    const order: string[] = [];
    const loaded = loading.load?.().then(() => order.push("loaded"));
    const controller = new AbortController();
    const aborted = loading
      .exec("echo never", { cwd, signal: controller.signal })
      .then(({ exitCode }) => order.push(`aborted ${exitCode}`));
    controller.abort();
    await Promise.all([loaded, aborted]);
    expect(order).toEqual(["aborted 130", "loaded"]);
  });

  it("gives the page's network for git to git only", async () => {
    const { cwd } = await setUp();
    const seen: string[] = [];
    const answer: typeof globalThis.fetch = async (input) => {
      seen.push(new Request(input).url);
      return new Response(null, { status: 404 });
    };
    const git = { fetch: answer, corsProxy: "https://proxy.example.com", author: AUTHOR };
    using networked = workerShell({ fs, git });
    const clone = "git clone https://example.com/a/b.git";
    const { stderr, exitCode } = await networked.exec(`${clone}; curl https://example.com`, {
      cwd,
    });
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining("b.git/' not found")]);
    expect(seen).toEqual([
      "https://proxy.example.com/example.com/a/b.git/info/refs?service=git-upload-pack",
    ]);
    expect(networked.beyondFiles).toEqual([]);
    const log = await networked.exec(
      "git init -q; git commit -q --allow-empty -m x; git log --format=%ae",
      { cwd },
    );
    expect(log.stdout).toBe("tab@example.com\n");
    expect((await shell.exec(clone, { cwd })).stderr).toContain("the network is not available");
  });

  it("keeps the page responsive during a computation", async () => {
    const { cwd } = await setUp();
    await listening.exec("js -e 0", { cwd });
    const stop = new AbortController();
    const computes = Promise.withResolvers<void>();
    const running = listening.exec("echo begun; deaf", {
      cwd,
      signal: stop.signal,
      onOutput: () => computes.resolve(),
    });
    await computes.promise;
    // A page that computes itself gets no turn before the end.
    using clock = turnClock();
    await expect.poll(() => clock.ms(), { interval: 10 }).toBeGreaterThan(100);
    stop.abort();
    expect(await running).toMatchObject({ exitCode: 130, stdout: "begun\n" });
  });

  it("does not affect other commands when one is terminated", async () => {
    const { cwd } = await setUp();
    const other = listening.exec("sleep 1; echo other", { cwd });
    await listening.exec("deaf", { cwd, timeoutMs: 300 });
    expect((await other).stdout).toBe("other\n");
  });

  it("reports the termination to commands in the same worker", async () => {
    const { cwd } = await setUp();
    const narrow = workerShell({ fs, limits, createWorker, maxWorkers: 1 });
    // While it loads, it still listens.
    await narrow.exec("js -e 0", { cwd });
    const other = narrow.exec("echo early; sleep 20", { cwd });
    await narrow.exec("sleep 0.2", { cwd });
    await narrow.exec("deaf", { cwd, timeoutMs: 300 });
    expect(await other).toMatchObject({ exitCode: 137, stdout: "early\n" });
    expect((await other).stderr).toContain("killed");
    narrow.dispose();
  });

  it("passes errors of the page's files with their codes", async () => {
    const { cwd } = await setUp();
    const { stderr } = await shell.exec("cat missing; rmdir /; cd nowhere; echo x > a/b", { cwd });
    expect(stderr).toContain("cat: missing: No such file or directory");
    expect(stderr).toContain("bash: line 1: a/b: No such file or directory");
  });

  it("keeps a session's directory and environment", async () => {
    const { cwd } = await setUp();
    const session = createShellSession(shell, { cwd });
    await session.exec("mkdir sub; cd sub; export WORD=kept");
    expect((await session.exec('echo "$PWD $WORD"')).stdout).toBe(`${cwd}/sub kept\n`);
  });

  it("reaches the network only through the page's fetch", async () => {
    const { cwd } = await setUp();
    const requests: unknown[] = [];
    const online = workerShell({
      fs,
      async fetch(input, init) {
        const request = new Request(input, init);
        requests.push([request.method, request.url, await request.text()]);
        return new Response("pong", { status: 201 });
      },
    });
    const command = "curl -s -X POST -d ping -w '%{http_code}' https://example.com/path";
    expect((await online.exec(command, { cwd })).stdout).toBe("pong201");
    expect(requests).toEqual([["POST", "https://example.com/path", "ping"]]);
    online.dispose();
    expect((await shell.exec("curl -s https://example.com", { cwd })).exitCode).toBe(127);
  });

  it("rejects with a typed error when the worker can't load", async () => {
    const { cwd } = await setUp();
    const broken = workerShell({
      fs,
      createWorker: () => new Worker("/no-such-worker.js", { type: "module" }),
    });
    await expect(broken.exec("true", { cwd })).rejects.toMatchObject({ code: "SHELL_ERROR" });
  });

  it.each([
    ["read", reading],
    ["write", changing],
  ] as const)("applies the page's rules to %s, in any notation", async (act, scripts) => {
    const through: string[] = [];
    await shell.exec("true", { cwd: "/" });
    for (const script of scripts) {
      const world = await createWorld();
      const options = { cwd: "/code", rules: forbid(act), timeoutMs: 2_000 };
      await shell.over(world.fs).exec(script, options);
      if (await world.did(act)) through.push(script);
    }
    expect(through).toEqual([]);
  });

  it("checks the page's rules for each command", async () => {
    const { cwd } = await setUp();
    const asked: string[] = [];
    const { stdout, stderr } = await shell.exec("echo a | xargs -I{} touch {}; echo $?; ls", {
      cwd,
      rules: {
        refusesFile: () => undefined,
        refusesCommand(words) {
          asked.push(words.join(" "));
          return words[0] === "touch" ? "no touching" : undefined;
        },
      },
    });
    expect([stdout, stderr]).toEqual([
      "126\n",
      "bash: line 1: touch: not permitted: no touching\n",
    ]);
    expect(asked).toEqual(["echo a", "xargs -I{} touch {}", "touch a", "echo 126", "ls"]);
  });

  it("refuses commands after its disposal, and ends running ones", async () => {
    const { cwd } = await setUp();
    const short = workerShell({ fs });
    const running = short.exec("sleep 20", { cwd });
    short.dispose();
    await expect(running).rejects.toMatchObject({ code: "SHELL_ERROR" });
    await expect(short.exec("true", { cwd })).rejects.toMatchObject({ code: "SHELL_ERROR" });
  });
});
