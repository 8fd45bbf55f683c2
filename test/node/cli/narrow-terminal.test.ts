import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal, type PseudoTerminal } from "../../support/terminal/pseudo-terminal.ts";

let base: string;
let cwd: string;
let home: string;
let terminal: PseudoTerminal | undefined;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "robota-narrow-")));
  [cwd, home] = [join(base, "project"), join(base, "home")];
  for (const directory of [cwd, home]) await mkdir(directory);
});
afterEach(async () => {
  terminal?.kill();
  await terminal?.ended;
  terminal = undefined;
  await rm(base, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

async function converse(): Promise<PseudoTerminal> {
  terminal = openTerminal({
    command: [process.execPath, await installedCommand(), "--provider", "offline"],
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color" },
    nameFile: join(base, "tty"),
    columns: 40,
  });
  await terminal.shows("script-1 · ");
  return terminal;
}

describe.skipIf(process.platform !== "linux")("in 40 columns", () => {
  it("shows the whole pattern that a choice allows, also in characters of two columns", async () => {
    const { type, shows } = await converse();
    type("run touch とても長い名前の新しいファイル.txt\r");
    await shows(/pattern:\s+Bash\(touch\s+とても長い名前\s*の新\s*しい\s*ファイル\.txt\)/);
    await shows("  2  Allow this pattern in the session\n");
    type("2");
    await shows(/✓ Bash touch\s+とても長い/);
    expect(await readdir(cwd)).toEqual(["とても長い名前の新しいファイル.txt"]);
  });

  it("continues the lines of a change below their text, before it is made and after", async () => {
    await writeFile(join(cwd, "a.txt"), "a first line that is longer than the terminal\n");
    const { type, shows } = await converse();
    type("replace first with second in a.txt\r");
    const change = [
      "1 - a first line that is longer than the",
      "    terminal",
      "1 + a second line that is longer than",
      "    the terminal",
    ];
    await shows(change.join("\n"));
    type("1");
    await shows(/✓ Edit[^]*\n {2}1 \+ a second line that is longer\n {6}than the terminal\n/);
  });

  it("lists the keys one below the other", async () => {
    const { type, shows } = await converse();
    type("/keys\r");
    await shows(
      [
        "Enter                send, or queue",
        "                     while a turn runs",
        "Shift+Enter, Ctrl+J  new line",
      ].join("\n"),
    );
  });

  it("tells sessions of the same words apart by their time", async () => {
    const first = await converse();
    first.type("help\r");
    await first.shows("lists files");
    await first.hides("Working");
    first.type("/exit\r");
    await first.ended;
    const { type, shows } = await converse();
    type("/resume\r");
    await shows(/→ 1 {2}\d{4}-\d\d-\d\d \d\d:\d\d help\n/);
  });
});
