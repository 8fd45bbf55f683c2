import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

vi.setConfig({ testTimeout: 60_000 });

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-commands-")));
});
afterEach(() => rm(home, { recursive: true }));

/** Runs the command line offline. */
function robota(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return robotaWith("", ...args);
}

/** The same, with text on standard input. */
function robotaWith(
  input: string,
  ...args: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" };
  const all = [installed, "--provider", "offline", ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

it("runs a slash command instead of a turn", async () => {
  const { exitCode, stdout } = await robota("-p", "/help");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\/compact \[focus\] {2}Compress context window/m);
  const cost = await robota("-p", "/cost", "--output-format", "json");
  expect(JSON.parse(cost.stdout)).toMatchObject({
    type: "command-result",
    success: true,
    data: { messageCount: 0 },
  });
  expect(await robota("-p", "/mode yolo")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("plan, default, acceptEdits") as string,
  });
});

it("prints an export, and treats a path or an unknown name as a prompt", async () => {
  await robota("-p", "help");
  const exported = await robota("-p", "/export", "-c");
  expect(exported.exitCode).toBe(0);
  const lines = exported.stdout.trim().split("\n");
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) JSON.parse(line);
  await writeFile(join(home, "hosts"), "127.0.0.1 localhost");
  for (const prompt of ["/etc/hosts: what is in it?", "/no-such-command at all"]) {
    const { stdout } = await robota("-p", prompt, "--output-format", "json");
    expect(JSON.parse(stdout), prompt).toMatchObject({ type: "result", state: "complete" });
  }
  expect((await stat(join(home, ".robota"))).isDirectory()).toBe(true);
});

it("takes prompts as lines of JSON, one after another in one session", async () => {
  const input = [
    { type: "prompt", text: "help" },
    { type: "prompt", text: "/cost" },
  ];
  const lines = input.map((line) => JSON.stringify(line)).join("\n");
  const args = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { exitCode, stdout } = await robotaWith(lines, ...args);
  const printed = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(exitCode).toBe(0);
  expect(printed.filter(({ type }) => type.endsWith("result"))).toMatchObject([
    { type: "result", state: "complete" },
    { type: "command-result", data: { messageCount: 1 } },
  ]);
  expect((await robotaWith("no JSON", ...args)).exitCode).toBe(2);
  expect(await robota("-p", "help", "--input-format", "stream-json")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("exclude each other") as string,
  });
  expect(
    await robota("-p", "help", "--remote", "http://localhost", "--allow", "Bash"),
  ).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--allow is for sessions of this machine") as string,
  });
});
