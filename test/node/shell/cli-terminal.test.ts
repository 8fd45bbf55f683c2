import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
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
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-cli-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  await mkdir(cwd);
  await mkdir(home);
});
afterEach(() => rm(base, { recursive: true }));

describe.skipIf(process.platform !== "linux")("approvals by a person at a terminal", () => {
  /** Runs the command in a pseudo terminal of its own, as `script` makes one. */
  function atTerminal(prompt: string) {
    const command = [process.execPath, installed, "-p", prompt];
    const line = command.map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, TERM: "dumb" },
    });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (shown += chunk));
    const ended = once(child, "close").then(() => ({ shown, exitCode: child.exitCode }));
    const answer = async (keys: string): Promise<void> => {
      while (!shown.includes("or Enter for") && child.exitCode === null) await delay(10);
      child.stdin.write(keys);
    };
    return { answer, ended };
  }

  it("are requested, and a yes runs the call", async () => {
    const { answer, ended } = atTerminal("run touch made");
    await answer("1\r");
    const { shown, exitCode } = await ended;
    expect(shown).toContain("The agent wants to use Bash:\r\n  command: touch made");
    expect(exitCode).toBe(0);
    expect(await readdir(cwd)).toContain("made");
  });

  it("are denied by Enter alone, and the turn continues", async () => {
    const { answer, ended } = atTerminal("run touch made");
    await answer("\r");
    const { shown, exitCode } = await ended;
    expect(shown).toContain("was denied");
    expect(exitCode).toBe(0);
    expect(await readdir(cwd)).not.toContain("made");
  });

  it("abort the turn with Ctrl+C", async () => {
    const { answer, ended } = atTerminal("run touch made");
    await answer("\u0003");
    expect((await ended).exitCode).toBe(130);
    expect(await readdir(cwd)).not.toContain("made");
  });
});
