import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal } from "../../support/terminal/pseudo-terminal.ts";

const OLDEST = join(import.meta.dirname, "../../oldest/node_modules/.bin/node");

let installed: string;
let home: string;
beforeAll(async () => {
  installed = await installedCommand();
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-versions-")));
});
afterAll(async () => {
  await rm(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

const environment = { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color" };
const terminalOf = (command: readonly string[], env: Record<string, string> = {}) =>
  openTerminal({
    command,
    cwd: home,
    env: { ...environment, HOME: home, ...env },
    nameFile: join(home, "tty"),
  });

describe.skipIf(process.platform !== "linux")("the oldest Node", () => {
  for (const [name, node] of [
    ["22", OLDEST],
    ["the newest", process.execPath],
  ] as const) {
    it(`has the conversation, too: ${name}`, async () => {
      const { stdout } = await run(node, ["--version"]);
      expect(stdout).toMatch(name === "22" ? /^v22\./ : /^v\d/);
      const terminal = terminalOf([node, installed, "--provider", "offline"]);
      try {
        await terminal.shows("script-1 · ");
        terminal.type("help\r");
        await terminal.shows("- list [glob]: lists files");
        terminal.type("run echo $((40 + 2))\r");
        await terminal.shows("Bash wants to run");
        terminal.type("1");
        await terminal.shows("exit 0");
        terminal.type("/exit\r");
        expect(await terminal.ended).toBe(0);
      } finally {
        terminal.kill();
        await terminal.ended;
      }
    });
  }

  it("is named where an older one runs the command, or its conversation", async () => {
    /** Has this Node claim another version. */
    const claiming = async (version: string): Promise<string> => {
      const file = join(home, `${version}.mjs`);
      const versions = `{ ...process.versions, node: "${version}" }`;
      await writeFile(file, `Object.defineProperty(process, "versions", { value: ${versions} });`);
      return `--import=${file}`;
    };
    const old = { NODE_OPTIONS: await claiming("20.20.0") };
    const refused = await run(process.execPath, [installed, "-p", "help"], old);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("robota: Node 22 or newer is needed, and this is 20.20.0.");
    expect(refused.stderr).toContain("https://nodejs.org");
    expect(refused.stderr).not.toContain("    at ");

    const between = { NODE_OPTIONS: await claiming("22.18.0") };
    const args = [installed, "--provider", "offline"];
    const answer = await run(process.execPath, [...args, "-p", "help"], between);
    expect(answer).toMatchObject({ exitCode: 0 });
    const terminal = terminalOf([process.execPath, ...args], between);
    await terminal.shows("The conversation needs Node 22.19 or newer, and this is 22.18.0");
    await terminal.shows("robota -p");
    expect(await terminal.ended).toBe(1);
  });
});

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      [...args],
      { cwd: home, env: { ...environment, HOME: home, ...env } },
      (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}
