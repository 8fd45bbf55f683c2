import { getEventListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NodeFileSystem, NodeShell } from "@robota/adapters-node";
import type { ShellOptions, ShellOutput } from "@robota/runtime/ports";
import { shellContract } from "@robota/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { turnClock } from "../../support/time/own-time.ts";

const SETTLED_MS = 250;

let cwd: string;
let shell: NodeShell;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "robota-shell-"));
  shell = new NodeShell();
});
afterEach(async () => {
  await shell.dispose();
  await rm(cwd, { recursive: true });
});

const run = (command: string, options: Partial<ShellOptions> = {}) =>
  shell.exec(command, { cwd, ...options });

async function isRunning(pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return line !== "" && !/\) [ZX] /.test(line);
}

/** Waits until a command has written its process number to a file. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(cwd, file), "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await delay(5);
  }
}

/** Aborts a command as soon as it has written `pids`, and tells how long it took until it settled and who survived. */
async function abortOnce(command: string, files: string[]) {
  const controller = new AbortController();
  const running = run(command, { signal: controller.signal });
  const pids = await Promise.all(files.map(pidIn));
  using clock = turnClock();
  controller.abort();
  const result = await running;
  const took = clock.ms();
  const alive = await Promise.all(pids.map(isRunning));
  return { result, took, survivors: pids.filter((_, index) => alive[index]) };
}

describe("the machine's shell", () => {
  const fs = new NodeFileSystem();
  for (const promise of shellContract(() => ({ shell, fs, cwd }))) {
    it(promise.name, () => promise.run());
  }
});

describe("a command", () => {
  it("returns its output and exit code", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
      timedOut: false,
      truncated: false,
      cwd,
    });
  });

  it.each([
    ["nosuchcommand", 127],
    ["./file", 126],
    ["kill -9 $$", 137],
    ["kill -TERM $$", 143],
  ])("that is %s exits with %i", async (command, exitCode) => {
    await writeFile(join(cwd, "file"), "not executable");
    expect(await run(command)).toMatchObject({ exitCode });
  });

  it("runs in bash, in its directory, with the environment of the shell and of the call", async () => {
    const own = { PATH: process.env.PATH, KEPT: "1", GONE: "1" };
    shell = new NodeShell({ env: own, allowEnv: ["KEPT", "GONE"] });
    const env = { GONE: "2", ADDED: "3" };
    const { stdout } = await run('[[ a == a ]] && echo "$PWD $KEPT $GONE $ADDED"', { env });
    expect(stdout).toBe(`${cwd} 1 2 3\n`);
  });

  it("gets no secrets of this process, except allowed ones", async () => {
    const secrets = {
      OPENAI_API_KEY: "hidden-1",
      GITHUB_TOKEN: "hidden-2",
      AWS_SECRET_ACCESS_KEY: "hidden-3",
      db_password: "hidden-4",
      DATABASE_URL: "postgres://user:x5@host/db",
      ODD: "sk-ant-abcdefghijkl-x6",
      HEADER: "Bearer abcdefgh.x7",
    };
    const plain = { EDITOR: "vi", npm_config_color: "false", DEPLOY_KEY: "x8" };
    const env = { ...process.env, ...secrets, ...plain };
    shell = new NodeShell({ env, allowEnv: ["DEPLOY_KEY"] });
    const { stdout } = await run("env");
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining(["EDITOR=vi", "npm_config_color=false", "DEPLOY_KEY=x8"]),
    );
    for (const secret of Object.values(secrets)) expect(stdout).not.toContain(secret);
    const given = await run('echo "$GITHUB_TOKEN"', { env: { GITHUB_TOKEN: "given" } });
    expect(given.stdout).toBe("given\n");
  });

  it("reports exported variables, and removed ones", async () => {
    const own = { PATH: process.env.PATH, OLD: "1", SAME: "2" };
    shell = new NodeShell({ env: own, allowEnv: ["OLD", "SAME"] });
    const { env } = await run("export NEW=$'a\\nb' EMPTY=; unset OLD; LOCAL=3; cd /");
    expect(env).toEqual({ NEW: "a\nb", EMPTY: "", OLD: undefined });
    expect(await run("true")).not.toHaveProperty("env");
    const left = await run("export A=1; sleep 60 & exit 3");
    expect(left).toMatchObject({ exitCode: 3, env: { A: "1" } });
  });

  it("reads no start-up files, with any environment", async () => {
    await writeFile(join(cwd, ".bashrc"), "echo rc");
    await writeFile(join(cwd, ".bash_profile"), "echo profile");
    const startup = join(cwd, ".bashrc");
    shell = new NodeShell({ env: { ...process.env, HOME: cwd, BASH_ENV: startup, ENV: startup } });
    expect((await run("echo clean")).stdout).toBe("clean\n");
  });

  it("runs in sh when there is no bash", async () => {
    shell = new NodeShell({ program: "/bin/sh" });
    expect((await run('echo "$0"; exit 4')).exitCode).toBe(4);
  });

  it("reads its standard input, and may leave it unread", async () => {
    const stdin = "líne\n".repeat(200_000);
    expect((await run("wc -l", { stdin })).stdout.trim()).toBe("200000");
    expect(await run("head -1; exit 5", { stdin })).toMatchObject({
      exitCode: 5,
      stdout: "líne\n",
    });
    expect((await run("cat /dev/stdin", { stdin: "by name" })).stdout).toBe("by name");
    expect((await run("cat")).stdout).toBe("");
  });

  it("can open its streams by name", async () => {
    const command = "echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/fd/2";
    expect(await run(command)).toMatchObject({ exitCode: 0, stdout: "b\nc\n", stderr: "a\nc\n" });
  });

  it("can be longer than a program's argument", async () => {
    const long = `exit_code=6\ncat <<'END'\n${"x".repeat(300_000)}\nEND\nexit $exit_code`;
    const { stdout, exitCode } = await run(long);
    expect([stdout.length, exitCode]).toEqual([300_001, 6]);
  });

  it("has no controlling terminal", async () => {
    expect((await run("read answer < /dev/tty")).exitCode).not.toBe(0);
  });

  it("reports when no shell can be started", async () => {
    const failing = new NodeShell({ program: join(cwd, "no-shell") });
    const error = await failing.exec("true", { cwd }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ShellError", hint: expect.stringMatching(/\w/) });
    await expect(run("true", { cwd: join(cwd, "nowhere") })).rejects.toMatchObject({
      name: "ShellError",
      hint: expect.stringContaining("cwd"),
    });
  });
});

describe("output", () => {
  it("arrives as it is printed, in order, before the end", async () => {
    const chunks: ShellOutput[] = [];
    // Each waits until somebody has heard of the one before.
    const heard = (count: number): string => `while [ ! -e heard${count} ]; do sleep 0.01; done`;
    const { stdout } = await run(`echo one; ${heard(1)}; echo two >&2; ${heard(2)}; echo three`, {
      onOutput: (chunk) => writeFileSync(join(cwd, `heard${chunks.push(chunk)}`), ""),
    });
    expect(chunks.map(({ stream, text }) => [stream, text])).toEqual([
      ["stdout", "one\n"],
      ["stderr", "two\n"],
      ["stdout", "three\n"],
    ]);
    expect(stdout).toBe("one\nthree\n");
  });

  it("keeps characters whole across chunks, and marks invalid bytes", async () => {
    const texts: string[] = [];
    const { stdout } = await run(
      String.raw`printf '\xf0\x9f'; sleep 0.1; printf '\x8c\x8d\xff\xe2\x82'`,
      { onOutput: ({ text }) => texts.push(text) },
    );
    expect(stdout).toBe("🌍\uFFFD\uFFFD");
    expect(texts.join("")).toBe(stdout);
  });

  it("is cut at the limit, over both streams and between characters", async () => {
    const texts: string[] = [];
    const result = await run("printf 12345; sleep 0.1; printf 678 >&2; sleep 0.1; printf éé", {
      maxOutputBytes: 11,
      onOutput: ({ text }) => texts.push(text),
    });
    expect(result).toMatchObject({ stdout: "12345é", stderr: "678", truncated: true });
    expect(texts.join("")).toBe("12345678é");
    const exact = await run("printf 12345", { maxOutputBytes: 5 });
    expect(exact).toMatchObject({ stdout: "12345", truncated: false });
  });

  it("of 100 MB costs no memory beyond the limit", async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const result = await run("head -c 100000000 /dev/zero | tr '\\0' a", {
      maxOutputBytes: 30_000,
    });
    clearInterval(watch);
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.stdout.length).toBe(30_000);
    expect(peak - before).toBeLessThan(40_000_000);
  });

  it("ends the command when its listener throws, and reports the error", async () => {
    const cause = new RangeError("listener");
    const throwing = () => {
      throw cause;
    };
    const running = run("echo x; sleep 60", { onOutput: throwing });
    await expect(running).rejects.toMatchObject({ name: "ShellError", cause });
  });
});

describe("an abort", () => {
  it("ends the command with its output", async () => {
    const { result, took } = await abortOnce("echo before; echo $$ > pid; sleep 60", ["pid"]);
    expect(result).toMatchObject({ exitCode: 130, stdout: "before\n", timedOut: false });
    expect(took).toBeLessThan(SETTLED_MS);
  });

  it.each([
    ["a child", "sleep 60 & echo $! > pid; wait"],
    ["a grandchild", "bash -c 'bash -c \"echo \\$\\$ > pid; sleep 60; true\"; true'"],
    ["what ignores SIGTERM", "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"],
    [
      "a child that ignores every polite signal",
      "(trap '' TERM INT HUP; echo $BASHPID > pid; sleep 60; sleep 60) & wait",
    ],
    ["what left the session", "setsid bash -c 'echo $$ > pid; sleep 60; true' & wait"],
    [
      "what left the session and its parent",
      "(setsid bash -c 'echo $$ > pid; sleep 60; true' &) ; sleep 60",
    ],
    [
      "what left the session with an empty environment",
      "setsid env -i bash -c 'echo $$ > pid; sleep 60; true' & wait",
    ],
    ["what was stopped", "sleep 60 & echo $! > pid; kill -STOP $!; wait"],
  ])("ends %s", async (_what, command) => {
    const { result, took, survivors } = await abortOnce(command, ["pid"]);
    expect(survivors).toEqual([]);
    expect(result.exitCode).toBe(130);
    expect(took).toBeLessThan(SETTLED_MS);
  });

  it("before the start starts nothing", async () => {
    const result = await run("touch started", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exitCode: 130, stdout: "" });
    expect(await readdir(cwd)).toEqual([]);
  });

  it("of many commands at once leaves none of their processes", async () => {
    const controller = new AbortController();
    const mark = `robota_sweep_${process.pid}`;
    const shapes = [
      "sleep 60 & sleep 60",
      "trap '' TERM; while :; do sleep 1; done",
      "(setsid sleep 60 &); sleep 60",
      "bash -c 'bash -c \"sleep 60; true\"; true'",
    ];
    const running = shapes.map((shape, index) =>
      run(`echo $$ > pid${index}; exec -a ${mark} bash -c ${JSON.stringify(shape)}`, {
        signal: controller.signal,
        env: { SWEEP: mark },
      }),
    );
    const pids = await Promise.all(shapes.map((_, index) => pidIn(`pid${index}`)));
    await delay(100);
    controller.abort();
    await Promise.all(running);
    expect(await Promise.all(pids.map(isRunning))).toEqual(pids.map(() => false));
    const survivors: string[] = [];
    for (const pid of await readdir("/proc")) {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      if (environment.includes(`SWEEP=${mark}`)) survivors.push(pid);
    }
    expect(survivors).toEqual([]);
  });

  it("does not affect concurrent commands", async () => {
    const beside = run("sleep 0.4; echo fine");
    await abortOnce("echo $$ > pid; sleep 60", ["pid"]);
    expect((await beside).stdout).toBe("fine\n");
  });
});

describe("a timeout", () => {
  it("ends the command as an abort does, and is reported", async () => {
    using clock = turnClock();
    const result = await run("echo before; sleep 60", { timeoutMs: 200 });
    expect(result).toMatchObject({ exitCode: 124, stdout: "before\n", timedOut: true });
    expect(clock.ms()).toBeLessThan(200 + SETTLED_MS);
  });

  it("beyond the range of timers never fires", async () => {
    expect(await run("echo x", { timeoutMs: 2 ** 40 })).toMatchObject({
      exitCode: 0,
      stdout: "x\n",
    });
    expect(await run("echo x", { timeoutMs: Infinity })).toMatchObject({ exitCode: 0 });
  });
});

describe("a background process", () => {
  it("does not delay the command, and continues", async () => {
    using clock = turnClock();
    const result = await run("sleep 60 & echo $! > pid; echo started");
    expect(result).toMatchObject({ exitCode: 0, stdout: "started\n" });
    expect(clock.ms()).toBeLessThan(1000);
    expect(await isRunning(await pidIn("pid"))).toBe(true);
  });

  it("may continue to print, which is ignored", async () => {
    const heard: string[] = [];
    const command = "(sleep 0.4; head -c 1000000 /dev/zero; echo $? > status) & echo now";
    await run(command, { onOutput: ({ text }) => heard.push(text) });
    expect(await pidIn("status")).toBe(0);
    expect(heard).toEqual(["now\n"]);
  });

  it("ends with the platform", async () => {
    await run("sleep 60 & echo $! > pid");
    const pid = await pidIn("pid");
    await shell.dispose();
    expect(await isRunning(pid)).toBe(false);
  });
});

describe("closing", () => {
  it("ends running commands and refuses new ones", async () => {
    const running = run("echo $$ > pid; sleep 60");
    const pid = await pidIn("pid");
    await shell.dispose();
    expect((await running).exitCode).toBe(130);
    expect(await isRunning(pid)).toBe(false);
    await expect(run("true")).rejects.toMatchObject({ name: "ShellError" });
  });

  it("leaves no process, file or listener behind", async () => {
    const { signal } = new AbortController();
    const files = async () => (await readdir("/proc/self/fd")).length;
    await run("true", { signal });
    const before = await files();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        run(`echo ${index}; sleep 0.0${index % 7}`, { signal, stdin: "x", timeoutMs: 10_000 }),
      ),
    );
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(await files()).toBeLessThanOrEqual(before);
    const { stdout } = await run(`ps -o stat= --ppid ${process.pid}`);
    expect(stdout.split("\n").filter((state) => state.startsWith("Z"))).toEqual([]);
  });
});
