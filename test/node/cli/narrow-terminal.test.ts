import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";
import { openTerminal } from "../../support/terminal/pseudo-terminal.ts";

it.skipIf(process.platform !== "linux")(
  "shows in 40 columns the whole pattern that a choice allows, also in characters of two columns",
  async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "robota-narrow-")));
    const [cwd, home] = [join(base, "project"), join(base, "home")];
    for (const directory of [cwd, home]) await mkdir(directory);
    const { type, shows, kill, ended } = openTerminal({
      command: [process.execPath, await installedCommand(), "--provider", "offline"],
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color" },
      nameFile: join(base, "tty"),
      columns: 40,
    });
    try {
      await shows("script-1");
      type("run touch とても長い名前の新しいファイル.txt\r");
      await shows(/pattern:\s+Bash\(touch\s+とても長い名前\s*の新\s*しい\s*ファイル\.txt\)/);
      await shows("  2  Allow this pattern in the session\n");
      type("2");
      await shows(/✓ Bash touch\s+とても長い/);
      expect(await readdir(cwd)).toEqual(["とても長い名前の新しいファイル.txt"]);
    } finally {
      kill();
      await ended;
      await rm(base, { recursive: true, maxRetries: 20, retryDelay: 50 });
    }
  },
);
