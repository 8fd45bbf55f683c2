import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { askAtTerminal } from "../../../packages/adapters-node/src/cli/workspace-trust.ts";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal } from "../../support/terminal/pseudo-terminal.ts";

const request = {
  cwd: "/project",
  findings: [],
  isChanged: false,
  digest: "0",
  signal: new AbortController().signal,
};

function terminal() {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  return { stdin, stderr, answer: askAtTerminal(request, { stdin, stderr }) };
}

it.each([
  ["Ctrl+C", "\u0003"],
  ["Ctrl+D", "\u0004"],
  ["Ctrl+C behind some words", "ye\u0003"],
])("%s at the trust question interrupts the program", async (_, keys) => {
  const { stdin, answer } = terminal();
  stdin.write(keys);
  await expect(answer).rejects.toMatchObject({ name: "Interrupted" });
});

it("a later answer is accepted", async () => {
  const yes = terminal();
  yes.stdin.write("yes\r");
  expect(await yes.answer).toBe(true);
  const no = terminal();
  no.stdin.write("\r");
  expect(await no.answer).toBe(false);
});

it.each(["-p list", ""])("ends `robota %s` with 130, and without a stack trace", async (prompt) => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "robota-question-")));
  const cwd = join(home, "project");
  await mkdir(join(cwd, ".robota"), { recursive: true });
  const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };
  await writeFile(join(cwd, ".robota/settings.json"), JSON.stringify(settings));
  const args = [...prompt.split(" ").filter(Boolean), "--provider", "offline"];
  const { type, shows, ended, text } = openTerminal({
    command: [process.execPath, await installedCommand(), ...args],
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color" },
    nameFile: join(home, "tty"),
  });
  await shows('Type "yes" to trust it:');
  type("\u0003");
  expect(await ended, text()).toBe(130);
  expect(text()).not.toMatch(/Interrupted|Error|\n +at /);
  await rm(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
});
