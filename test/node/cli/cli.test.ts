import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nodePlatform } from "@robota/adapters-node";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { turnClock } from "../../support/time/own-time.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let base: string;
let cwd: string;
let home: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-cli-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  await mkdir(join(cwd, "src"), { recursive: true });
  await mkdir(home);
  await writeFile(join(cwd, "a.ts"), "export const a = 1;\n");
  await writeFile(join(cwd, "src/b.ts"), "export const b = 2;\n");
});
afterEach(() => rm(base, { recursive: true }));

/** Starts the command as a person would, with nothing in its environment but what is given. */
function start(args: string[], options: { env?: Record<string, string>; stdin?: string } = {}) {
  const started = startOpen(args, options);
  started.child.stdin.end(options.stdin);
  return started;
}

/** The same, with an input that nobody ends. */
function startOpen(args: string[], options: { env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [installed, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...options.env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
  const ended = once(child, "close").then(() => ({ ...output, exitCode: child.exitCode }));
  const printed = async (stream: "stdout" | "stderr", text: string): Promise<void> => {
    while (!output[stream].includes(text) && child.exitCode === null) await delay(10);
  };
  return { child, ended, printed };
}

const robota = (...args: string[]) => start(args).ended;

interface Header {
  id: string;
  cwd: string;
  preview: string;
}
async function sessions(): Promise<Header[]> {
  return JSON.parse((await robota("sessions", "list", "--output-format", "json")).stdout);
}

describe("robota -p", () => {
  it("prints the answer to stdout, and everything else to stderr", async () => {
    const { stdout, stderr, exitCode } = await robota("-p", "list **/*.ts");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${cwd}/a.ts\n${cwd}/src/b.ts`);
    expect(stdout).not.toContain("No key was found");
    expect(stderr).toContain("No key was found");
    expect(stderr).toContain("→ Glob **/*.ts");
    expect(stderr).not.toContain("\u001B");
  });

  it("does not mention keys when the offline provider was requested", async () => {
    const { stderr } = await robota("-p", "help", "--provider", "offline");
    expect(stderr).toBe("");
  });

  it("works in the given directory, and reads the prompt from standard input", async () => {
    const { stdout, exitCode } = await start(["-p", "-", "--cwd", "src"], { stdin: "read b.ts\n" })
      .ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain("export const b = 2;");
  });

  it("prints one JSON object, or one event per line and the result last", async () => {
    const json = await robota("-p", "read a.ts", "--output-format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      type: "result",
      state: "complete",
      response: expect.stringContaining("export const a"),
      toolSummaries: [{ toolName: "Read", firstArg: "a.ts", result: "success" }],
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      permissionDenials: [],
    });

    const stream = await robota("-p", "read a.ts", "--output-format", "stream-json");
    const events = stream.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe("session_init");
    expect(types).toEqual(expect.arrayContaining(["tool_start", "tool_end", "turn_end"]));
    expect(types.at(-1)).toBe("result");
    expect(types.at(-2)).toBe("session_shutdown");
  });

  it("adds piped input to the prompt", async () => {
    const piped = await start(["-p", "read a.ts"], { stdin: "read src/b.ts\n" }).ended;
    expect(piped.exitCode).toBe(0);
    expect(piped.stderr).toContain("→ Read a.ts\n→ Read src/b.ts");
    const [header] = await sessions();
    const { stdout } = await robota("sessions", "show", header!.id);
    expect(stdout).toContain("> read a.ts\n> \n> read src/b.ts");
  });

  it("continues without input when a pipe stays silent", async () => {
    const { child, ended } = startOpen(["-p", "read a.ts"]);
    const { stdout, stderr, exitCode } = await ended;
    child.stdin.destroy();
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("export const a")]);
    expect(stderr).toContain("No data on standard input");
  });

  it("exits with 1 when the turn failed", async () => {
    const { stdout, stderr, exitCode } = await robota("-p", "fail 429", "--output-format", "json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      state: "failed",
      error: { code: "RATE_LIMIT_ERROR" },
    });
    expect(stderr).toContain("robota: ");
  });

  it("ends quietly when the reader closes the pipe early", async () => {
    const { child, ended } = start(["-p", "long 20000", "--output-format", "stream-json"]);
    child.stdout.once("data", () => child.stdout.destroy());
    const { stderr } = await ended;
    expect(stderr).not.toContain("EPIPE");
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("approvals without a person", () => {
  it("end the turn at once with 3, and name the missing rule", async () => {
    const refused = await robota("-p", "run touch made");
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain("--allow 'Bash(touch made)'");
    expect(await readdir(cwd)).not.toContain("made");

    const allowed = await robota("-p", "run touch made", "--allow", "Bash(touch made)");
    expect(allowed.exitCode).toBe(0);
    expect(await readdir(cwd)).toContain("made");
  });

  it("are reported in the JSON result: the tool, the rule and the reason", async () => {
    const asked = await robota("-p", "run touch made", "--output-format", "json");
    expect(asked.exitCode).toBe(3);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      state: "interrupted",
      toolSummaries: [{ toolName: "Bash", firstArg: "touch made" }],
      permissionDenials: [
        { tool: "Bash", reason: expect.any(String), suggestedPattern: "Bash(touch made)" },
      ],
    });
    const stream = ["--output-format", "stream-json"];
    const forbidden = await robota("-p", "run touch made", "--deny", "Bash(touch *)", ...stream);
    expect(JSON.parse(forbidden.stdout.trimEnd().split("\n").at(-1)!)).toMatchObject({
      permissionDenials: [{ tool: "Bash", rule: "Bash(touch *)", reason: expect.any(String) }],
    });
  });

  it("refuse a rule that matches no call, and warn of one that exposes another", async () => {
    const refused = await robota("-p", "help", "--deny", "bash(rm *)");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("Write Bash(rm *)");
    const none = await robota("-p", "help", "--allow", "Bash(");
    expect([none.exitCode, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain('"Bash(" in "allow" is not a permission rule');
    const { stderr } = await robota("-p", "help", "--allow", "Bash(npx *)");
    expect(stderr).toContain("--allow Bash(npx *): It hands over");
  });

  it("follow the mode, which a deny rule overrides", async () => {
    const mode = ["--permission-mode", "bypassPermissions"];
    expect((await robota("-p", "run touch made", ...mode)).exitCode).toBe(0);
    await robota("-p", "run touch other", ...mode, "--deny", "Bash(touch *)");
    expect(await readdir(cwd)).toEqual(expect.not.arrayContaining(["other"]));
  });

  it("do not block other runs behind a waiting session", async () => {
    // As a page or another process would leave it: the approval is open, and nobody holds the session.
    const { InteractiveSession } = await import("@robota/runtime");
    const { OfflineProvider } = await import("@robota/runtime/providers/offline");
    const platform = nodePlatform({ home });
    const session = new InteractiveSession({ platform, provider: new OfflineProvider(), cwd });
    const asked = new Promise((resolve) => session.on("permission_request", resolve));
    session.submit("run touch made").catch(() => {});
    await asked;
    await copySession(session.sessionId, "left");
    await session.shutdown();
    await platform.dispose();

    const json = await robota("--resume", "left", "-p", "help", "--output-format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      state: "interrupted",
      permissionDenials: [{ tool: "Bash", suggestedPattern: "Bash(touch made)" }],
    });
    const refused = await robota("--resume", "left", "-p", "help");
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain("--allow 'Bash(touch made)'");
    const allowed = await robota("--resume", "left", "-p", "help", "--allow", "Bash(touch *)");
    expect(allowed.exitCode).toBe(0);
    expect(await readdir(cwd)).toContain("made");
  });

  async function copySession(id: string, as: string): Promise<void> {
    const directory = join(home, ".robota/sessions");
    const log = await readFile(join(directory, `${id}.jsonl`));
    await writeFile(join(directory, `${as}.jsonl`), log);
  }
});

describe("wrong usage", () => {
  it.each([
    [[], "a prompt is missing"],
    [["-p", " "], "a prompt is missing"],
    [["--nonsense"], "--nonsense"],
    [["files"], 'can\'t do "files"'],
    [["-p", "x", "--output-format", "xml"], "text, json, stream-json"],
    [["-p", "x", "--permission-mode", "yolo"], "bypassPermissions"],
    [
      ["-p", "x", "--provider", "other"],
      "anthropic, openai, openRouter, gemini, ark, ollama, lmStudio, llamaCpp, vllm, offline",
    ],
    [["-p", "x", "--max-turns", "0"], "--max-turns"],
    [["-p", "x", "--resume", "a", "--continue"], "exclude each other"],
    [["sessions", "show"], "sessions show"],
  ])("%j exits with 2 and an explanation", async (args, message) => {
    const { stdout, stderr, exitCode } = await robota(...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it("prints its help with --help and its version", async () => {
    const help = await robota("--help");
    expect([help.exitCode, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("robota -p <prompt>");
    expect((await robota("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("Ctrl+C", () => {
  it("aborts the turn and its processes, and exits with 130", async () => {
    const { child, ended, printed } = start([
      "-p",
      "run echo $$ > pid; sleep 60",
      "--permission-mode",
      "bypassPermissions",
    ]);
    await printed("stderr", "→ Bash");
    const written = (): Promise<string> => readFile(join(cwd, "pid"), "utf8").catch(() => "");
    while ((await written()) === "") await delay(10);
    using clock = turnClock();
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(130);
    expect(clock.ms()).toBeLessThan(1500);
    const pid = Number(await written());
    // A process that was ended stays known until its new parent has noticed.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
    const [header] = await sessions();
    expect(header).toMatchObject({ preview: "run echo $$ > pid; sleep 60" });
  });

  it("twice within a second exits at once", async () => {
    const { child, ended, printed } = start([
      "-p",
      "run trap '' TERM; sleep 60",
      "--permission-mode",
      "bypassPermissions",
    ]);
    await printed("stderr", "→ Bash");
    child.kill("SIGINT");
    child.kill("SIGINT");
    await delay(1);
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(130);
  });

  it("by SIGTERM exits with its own code", async () => {
    const { child, ended, printed } = start([
      "-p",
      "slow 60000\nhelp",
      "--output-format",
      "stream-json",
    ]);
    await printed("stdout", "user_message");
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(143);
  });
});

describe("sessions", () => {
  it("are listed newest first and shown", async () => {
    await robota("-p", "read a.ts");
    await robota("-p", "list *.ts");
    const list = await robota("sessions", "list");
    expect(list.stdout.trimEnd().split("\n")).toEqual([
      expect.stringContaining("list *.ts"),
      expect.stringContaining("read a.ts"),
    ]);
    const [, first] = await sessions();
    const shown = await robota("sessions", "show", first!.id);
    expect(shown.stdout).toContain("> read a.ts");
    expect(shown.stdout).toContain("→ Read a.ts");
    expect(shown.stdout).toContain("export const a = 1;");
    const events = await robota("sessions", "show", first!.id, "--output-format", "json");
    expect(JSON.parse(events.stdout)[0]).toMatchObject({ seq: 1, type: "session_init" });
    expect(await robota("sessions", "show", "nope")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("There is no session nope"),
    });
  });

  it("continue with --resume and with --continue in the same directory", async () => {
    await robota("-p", "read a.ts");
    const [header] = await sessions();
    expect((await robota("--resume", header!.id, "-p", "read src/b.ts")).exitCode).toBe(0);
    expect((await robota("-c", "-p", "list *.ts")).exitCode).toBe(0);
    expect(await sessions()).toHaveLength(1);
    const { stdout } = await robota("sessions", "show", header!.id);
    expect(stdout.match(/^> .*$/gm)).toEqual(["> read a.ts", "> read src/b.ts", "> list *.ts"]);

    const elsewhere = await robota("-c", "-p", "help", "--cwd", "src");
    expect(elsewhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--resume") });
    const missing = await robota("--resume", "nope", "-p", "help");
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nope") });
    expect(missing.stderr).toContain("robota sessions list");
    expect(missing.stderr).not.toContain("platform.storage");
  });

  it("are found by a unique prefix of their id", async () => {
    await robota("-p", "read a.ts");
    const [header] = await sessions();
    const short = header!.id.slice(0, 8);
    expect((await robota("--resume", short, "-p", "list *.ts")).exitCode).toBe(0);
    expect((await robota("sessions", "show", short)).stdout).toContain("> list *.ts");
    expect((await robota("sessions", "show", header!.id.slice(0, 3))).exitCode).toBe(1);
    const directory = join(home, ".robota/sessions");
    for (const name of await readdir(directory)) {
      const other = name.replace(header!.id, `${short}-another`);
      const text = await readFile(join(directory, name), "utf8");
      await writeFile(join(directory, other), text.replaceAll(header!.id, `${short}-another`));
    }
    const several = await robota("--resume", short, "-p", "help");
    expect(several.exitCode).toBe(2);
    expect(several.stderr).toContain(`${short}-another`);
    expect((await robota("--resume", header!.id, "-p", "help")).exitCode).toBe(0);
    expect((await robota("sessions")).stdout).toContain(header!.id);
  });

  it("in use by another process are busy", async () => {
    await robota("-p", "help");
    const [header] = await sessions();
    const platform = nodePlatform({ home });
    const lease = await platform.storage.acquire(`sessions/${header!.id}`);
    const { exitCode, stderr } = await robota("--resume", header!.id, "-p", "help");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("another tab or process");
    await lease.release();
    await platform.dispose();
  });
});

describe("settings", () => {
  const HOOKS = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch ran" }] }] };
  const write = async (directory: string, settings: object): Promise<void> => {
    await mkdir(join(directory, ".robota"), { recursive: true });
    await writeFile(join(directory, ".robota/settings.json"), JSON.stringify(settings));
  };

  it("of the person and the project apply; active parts need trust", async () => {
    await write(home, {
      permissions: { allow: ["Bash(touch made)"] },
      provider: { name: "offline" },
    });
    await write(cwd, { permissions: { deny: ["Read(/a.ts)"] }, hooks: HOOKS });
    const made = await robota("-p", "run touch made");
    expect(made).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("not trusted") });
    expect(await readdir(cwd)).toEqual([".robota", "a.ts", "made", "src"]);
    const read = await robota("-p", "read a.ts", "--trust-workspace");
    expect(read.stderr).toContain("Read was not allowed");
    expect(await readdir(cwd)).toContain("ran");
  });

  it("that can't be read end the run, with the file's name", async () => {
    await mkdir(join(home, ".robota"));
    await writeFile(join(home, ".robota/settings.json"), '{ "permissions": ');
    const { exitCode, stderr, stdout } = await robota("-p", "help");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("~/.robota/settings.json can't be read: line 1");
  });

  it("choose the provider, with a key from the environment", async () => {
    await write(home, { provider: { name: "anthropic", apiKey: "$ENV:MY_KEY" } });
    const without = await robota("-p", "hello");
    expect(without).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("MY_KEY is not set"),
    });
    await write(home, { provider: { name: "nobody" } });
    expect((await robota("-p", "hello")).stderr).toContain("nobody");
    expect((await robota("-p", "help", "--provider", "offline")).exitCode).toBe(0);
  });
});

describe("the provider", () => {
  it.each([
    ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "", "/v1/messages"],
    ["OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "/v1/"],
  ])("is chosen by %s in the environment", async (key, address, prefix, path) => {
    const requests: { url: string; headers: string }[] = [];
    const server = createServer((request, response) => {
      requests.push({ url: request.url ?? "", headers: JSON.stringify(request.headers) });
      response.writeHead(401, { "content-type": "application/json" });
      response.end('{"type":"error","error":{"type":"authentication_error","message":"bad key"}}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { exitCode, stderr } = await start(["-p", "hello"], {
      env: {
        [key]: "secret-key-1234567890",
        [address]: `http://127.0.0.1:${port}${prefix}`,
        OPENAI_MODEL: "a-model",
      },
    }).ended;
    server.close();
    expect(exitCode).toBe(1);
    expect(requests[0]!.url).toContain(path);
    expect(requests[0]!.headers).toContain("secret-key-1234567890");
    expect(stderr).not.toContain("secret-key-1234567890");
    expect(stderr).toContain("robota: ");
  });

  it("has the same names in --help, in --provider and in the error for a missing key", async () => {
    const { stdout: help } = await robota("--help");
    const { stderr: unset } = await robota("-p", "help");
    const keys = unset.match(/[A-Z]+_API_KEY/g) ?? [];
    expect(keys.length).toBeGreaterThan(4);
    expect(help.match(/[A-Z]+_API_KEY/g)).toEqual(keys);
    const names = /--provider <name> +([^;]+);/.exec(help)?.[1]?.split(", ") ?? [];
    const { stderr: wrong, exitCode } = await robota("-p", "help", "--provider", "nobody");
    expect(exitCode).toBe(2);
    expect(wrong).toContain(`--provider is one of ${names.join(", ")}, not "nobody"`);
    for (const name of names.filter((other) => other !== "offline")) {
      const { stderr } = await robota("-p", "help", "--provider", name);
      // A server of one's own machine needs no key, but the name of its model.
      const named = [...keys, "_MODEL"];
      expect(
        named.filter((variable) => stderr.includes(variable)),
        name,
      ).not.toEqual([]);
    }
  });

  it("without a key names the variable to set", async () => {
    const { exitCode, stderr } = await robota("-p", "hello", "--provider", "anthropic");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("ANTHROPIC_API_KEY");
  });
});
