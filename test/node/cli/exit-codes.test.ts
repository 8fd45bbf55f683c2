import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

let installed: string;
let home: string;
beforeAll(async () => {
  installed = await installedCommand();
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-codes-")));
  await writeFile(join(home, "a.txt"), "text\n");
});
afterAll(async () => {
  await rm(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

interface Started {
  args: readonly string[];
  input?: string;
  env?: Record<string, string>;
  /** Signals, each sent once this text is on standard error. */
  signals?: readonly (readonly [text: string, signal: NodeJS.Signals])[];
}

async function run({ args, input = "", env = {}, signals = [] }: Started) {
  const child = spawn(process.execPath, [installed, ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk));
  const left = [...signals];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output.stderr += chunk;
    const [next] = left;
    if (!next || !output.stderr.includes(next[0])) return;
    left.shift();
    child.kill(next[1]);
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  await once(child, "close");
  return { ...output, exitCode: child.exitCode };
}

const OFFLINE = ["--provider", "offline"];
/** A service that nobody listens for. */
const NOBODY = { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
const json = ["--output-format", "json"];
const SLEEP = ["-p", "run sleep 600", "--permission-mode", "bypassPermissions", ...OFFLINE];

interface Row extends Started {
  code: number;
  /** What standard output has; nothing at all by default. */
  stdout?: RegExp;
  stderr?: RegExp;
}

/** What scripts rely on, row by row: the exit code, the answer alone on standard output, the rest on standard error. */
const ROWS: Readonly<Record<string, Row>> = {
  "an answer": {
    args: ["-p", "list", ...OFFLINE],
    code: 0,
    stdout: /^Output of `list`:\n[^\n]+\n\S+a\.txt\n/,
  },
  "a piped prompt": { args: ["-p", "-", ...OFFLINE], input: "list", code: 0, stdout: /a\.txt/ },
  "a command": { args: ["-p", "/help", ...OFFLINE], code: 0, stdout: /^\/compact/m },
  "a result as JSON": { args: ["-p", "list", ...json, ...OFFLINE], code: 0, stdout: /^\{.*\}\n$/ },
  help: { args: ["--help"], code: 0, stdout: /^Usage:/ },
  "a version": { args: ["--version"], code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  "an empty list": {
    args: ["sessions", ...json],
    env: { HOME: "/nowhere" },
    code: 0,
    stdout: /^\[\]\n$/,
  },

  "a service that does not answer": {
    args: ["-p", "hi", "--model", "claude-haiku-4-5"],
    env: NOBODY,
    code: 1,
    stdout: /^/,
    stderr: /robota: /,
  },
  "a missing key": {
    args: ["-p", "hi", "--provider", "openai"],
    code: 1,
    stderr: /There is no key for OpenAI\nSet OPENAI_API_KEY/,
  },
  "an unknown session": {
    args: ["-p", "hi", "--resume", "ffffffff", ...OFFLINE],
    code: 1,
    stderr: /There is no session ffffffff\n.*sessions list/,
  },
  "no session to continue": {
    args: ["-p", "hi", "-c", "--cwd", "/", ...OFFLINE],
    code: 1,
    stderr: /There is no session in \/ to resume\n/,
  },
  "a failed command": { args: ["-p", "/mode yolo", ...OFFLINE], code: 1, stdout: /plan, default/ },

  "an unknown option": {
    args: ["--colour"],
    code: 2,
    stderr: /--colour.*\nSee robota --help\.\n$/s,
  },
  "an unknown value": { args: ["-p", "hi", "--permission-mode", "yolo"], code: 2, stderr: /yolo/ },
  "a directory that does not exist": {
    args: ["-p", "list", "--cwd", "nowhere", ...OFFLINE],
    code: 2,
    stderr: /^robota: --cwd: \/[^\n]+\/nowhere does not exist\nSee robota --help\.\n$/,
  },
  "a file for a directory": {
    args: ["-p", "list", "--add-dir", "a.txt", ...OFFLINE],
    code: 2,
    stderr: /^robota: --add-dir: \/[^\n]+\/a\.txt is not a directory\n/,
  },
  "a server in a directory that does not exist": {
    args: ["serve", "--cwd", "nowhere"],
    code: 2,
    stderr: /nowhere does not exist/,
  },
  "a misspelt command": { args: ["sesions"], code: 2, stderr: /can't do "sesions"; quote/ },
  "no prompt": { args: OFFLINE, code: 2, stderr: /a prompt is missing: robota -p <prompt>/ },
  "nothing on standard input": { args: ["-p", "-", ...OFFLINE], code: 2, stderr: /no prompt/ },
  "a rule that matches nothing": {
    args: ["-p", "hi", "--allow", "Bash(", ...OFFLINE],
    code: 2,
    stderr: /Bash\(/,
  },
  "a line that is not JSON": {
    args: ["--input-format", "stream-json", ...OFFLINE],
    input: "hello\n",
    code: 2,
    stdout: /"type":"error"/,
  },

  "a call that needs approval": {
    args: ["-p", "run touch made", ...OFFLINE],
    code: 3,
    stderr: /Bash needs permission[^\n]*\nAllow it with --allow 'Bash\(touch made\)'/,
  },

  "an interrupt": {
    args: SLEEP,
    signals: [["→ Bash", "SIGINT"]],
    code: 130,
    stderr: /Stopping\. Once more to exit at once\./,
  },
  "two interrupts": {
    args: SLEEP,
    signals: [
      ["→ Bash", "SIGINT"],
      ["Stopping", "SIGINT"],
    ],
    code: 130,
  },
  "a request to end": {
    args: SLEEP,
    signals: [["→ Bash", "SIGTERM"]],
    code: 143,
  },
};

it.each(Object.entries(ROWS))("ends as scripts expect: %s", async (_, row) => {
  const { code, stdout = /^$/, stderr } = row;
  const ended = await run(row);
  expect(ended.exitCode, ended.stderr).toBe(code);
  expect(ended.stdout).toMatch(stdout);
  if (stderr) expect(ended.stderr).toMatch(stderr);
  // Neither has colors or a line that redraws itself where nobody looks.
  for (const control of ["\u001B", "\r"])
    expect(ended.stdout + ended.stderr).not.toContain(control);
});

it("has an exit code, too, when it is interrupted once more on its way out", async () => {
  const interrupts = join(
    import.meta.dirname,
    "../../../packages/adapters-node/src/cli/interrupts.ts",
  );
  const program = `
    import { setTimeout } from "node:timers/promises";
    import { onInterrupt } from ${JSON.stringify(interrupts)};
    const alive = setTimeout(60_000);
    const interrupted = Promise.withResolvers();
    {
      using interrupts = onInterrupt(interrupted.resolve);
      process.kill(process.pid, "SIGINT");
      await interrupted.promise;
    }
    await setTimeout(1_100);
    process.kill(process.pid, "SIGINT");
    await alive;
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  await once(child, "close");
  expect([child.exitCode, child.signalCode]).toEqual([130, null]);
});
