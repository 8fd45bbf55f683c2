import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-broken-")));
});
afterEach(() => rm(home, { recursive: true }));

/** Runs the command behind a line of shell, such as a limit. */
function robota(args: readonly string[], line = 'exec "$@"') {
  const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" };
  const words = ["-c", line, "sh", process.execPath, installed, ...args];
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile("sh", words, { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

it.runIf(existsSync("/dev/full"))("fails when its output can't be written", async () => {
  for (const args of [["--help"], ["-p", "help", "--provider", "offline"], ["sessions", "list"]]) {
    const { exitCode, stderr } = await robota(args, 'exec "$@" > /dev/full');
    expect(stderr, args.join(" ")).toContain("can't write the output");
    expect(exitCode, args.join(" ")).toBe(1);
  }
});

it("leaves nothing of an export that did not fit, and says why one can't begin", async () => {
  await robota(["-p", `write a.md: ${"x".repeat(60_000)}`, "--provider", "offline"]);
  const { stdout } = await robota(["sessions", "list", "--output-format", "json"]);
  const [{ id }] = JSON.parse(stdout) as [{ id: string }];
  const output = join(home, "out.ndjson");
  const cut = await robota(
    ["sessions", "export", id, "-o", output],
    'ulimit -S -f 32 && exec "$@"',
  );
  expect(cut.stderr).toContain("EFBIG");
  expect(cut.exitCode).toBe(1);
  expect(existsSync(output)).toBe(false);
  expect((await robota(["sessions", "export", id, "-o", output])).exitCode).toBe(0);
  const again = await robota(["sessions", "export", id, "-o", output]);
  expect(again.stderr).toBe(`robota: ${output} is there already\nChoose another --output.\n`);
  const nowhere = await robota(["sessions", "export", id, "-o", "/nowhere/out"]);
  expect(nowhere.stderr).toContain("/nowhere/out can't be written");
});

it("says what is wrong with a path or a host, without a stack", async () => {
  await mkdir(join(home, "directory"));
  await writeFile(join(home, "file"), "");
  const imported = await robota(["sessions", "import", "directory"]);
  expect(imported.stderr).toContain("directory: it is a directory");
  const begun = await robota(["init", "--cwd", "file"]);
  expect(begun.stderr).toContain("a file is in the way");
  expect([imported.exitCode, begun.exitCode]).toEqual([2, 2]);
  const served = await robota(["serve", "--host", "nowhere.invalid", "--provider", "offline"]);
  expect(served.stderr).toContain("robota: nowhere.invalid has no address");
  for (const { stderr } of [imported, begun, served]) expect(stderr).not.toMatch(/^\s+at /m);
});

it("says that the directory it is started in is gone", async () => {
  for (const args of [["--help"], ["-p", "help", "--provider", "offline", "--cwd", home]]) {
    const ended = await robota(args, 'mkdir gone && cd gone && rmdir ../gone && exec "$@"');
    expect(ended).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "robota: The working directory can't be read: ENOENT\nGo to one that is there with cd, and start again.\n",
    });
  }
});

it("says that its variables can't be put aside in the directory for temporary files", async () => {
  const places = { "TMPDIR=/nowhere": "/nowhere", 'TMPDIR="$HOME"; ulimit -S -f 0': home };
  for (const [line, directory] of Object.entries(places)) {
    const { exitCode, stderr } = await robota(["--help"], `export A_KEY=1 ${line}; exec "$@"`);
    expect(stderr).toMatch(
      /^robota: Its variables can't be hidden from commands: E[A-Z]+\nThey go through a file in [^\n]+\n$/,
    );
    expect(stderr).toContain(directory);
    expect(exitCode).toBe(1);
  }
  expect(await readdir(home)).toEqual([]);
});
