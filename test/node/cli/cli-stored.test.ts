import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { installedCommand } from "../../support/terminal/installed-command.ts";

let installed: string;
beforeAll(async () => {
  installed = await installedCommand();
});

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "robota-stored-")));
});
afterEach(() => rm(home, { recursive: true }));

interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

function robota(...args: string[]): Promise<Ended> {
  return robotaWith({}, ...args);
}

function robotaWith(variables: Record<string, string>, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", ...variables };
  return new Promise((resolve) => {
    const all = [installed, ...args];
    const child = execFile(process.execPath, all, { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** Runs two turns that each write a file, and returns the session's id. */
async function recorded(): Promise<string> {
  const write = (text: string, ...more: string[]) =>
    robota("-p", text, "--provider", "offline", "--permission-mode", "acceptEdits", ...more);
  await write("write one.md: first");
  await write("write two.md: second", "--continue");
  const { stdout } = await robota("sessions", "list", "--output-format", "json");
  const [session] = JSON.parse(stdout) as { id: string }[];
  return session?.id ?? "";
}

it("renames, rewinds, replays, exports, imports and deletes stored sessions", async () => {
  const id = await recorded();
  expect((await robota("sessions", "rename", id.slice(0, 8), "Two files")).exitCode).toBe(0);
  expect((await robota("sessions", "list")).stdout).toContain("Two files");

  const replayed = await robota("sessions", "replay", id);
  expect(replayed.stdout).toMatch(/^The same: \d+ events/);
  expect(replayed.exitCode).toBe(0);

  const turns = await robota("sessions", "rewind", id);
  expect(turns.stdout).toBe("1  write two.md: second\n2  write one.md: first\n");
  expect((await robota("sessions", "rewind", id, "9")).exitCode).toBe(1);
  const rewound = await robota("sessions", "rewind", id, "1");
  expect(rewound.stdout).toContain("1 file restored");
  expect(await readdir(home)).toContain("one.md");
  expect(await readdir(home)).not.toContain("two.md");

  const exported = join(home, "session.ndjson");
  expect((await robota("sessions", "export", id, "-o", exported)).exitCode).toBe(0);
  const printed = await robota("sessions", "export", id);
  expect(printed.stdout).toBe(await readFile(exported, "utf8"));
  // A file that is there is kept.
  expect((await robota("sessions", "export", id, "-o", exported)).exitCode).toBe(1);

  expect((await robota("sessions", "delete", id)).stderr).toBe(`Deleted ${id}\n`);
  expect((await robota("sessions", "show", id)).exitCode).toBe(1);
  const imported = await robota("sessions", "import", exported);
  expect(imported.stdout.trim()).toBe(id);
  expect((await robota("sessions", "show", id)).stdout).toContain("> write one.md: first");
  expect((await robota("sessions", "import", "nothing.ndjson")).exitCode).toBe(2);
});

it("continues in a copy with --fork-session, under a chosen id", async () => {
  const id = await recorded();
  const asJson = ["-p", "list", "--provider", "offline", "--output-format", "json"];
  const asFork = ["--resume", id, "--fork-session", "--session-id", "my-copy"];
  const fork = await robota(...asJson, ...asFork);
  expect(JSON.parse(fork.stdout)).toMatchObject({ sessionId: "my-copy" });
  expect((await robota("sessions", "show", "my-copy")).stdout).toContain("> list");
  expect((await robota("sessions", "show", id)).stdout).not.toContain("> list");
});

it("checks the machine without showing a key, and says what to do", async () => {
  const key = "sk-never-shown";
  const { stdout, exitCode } = await robotaWith(
    { OPENAI_API_KEY: key, OPENAI_BASE_URL: "http://127.0.0.1:9" },
    "doctor",
  );
  expect(stdout).toMatch(/✓ node +\d+\./);
  expect(stdout).toMatch(/✓ storage +sessions in /);
  expect(stdout).toMatch(/✓ shell +GNU bash/);
  expect(stdout).toContain("OPENAI_API_KEY is set");
  expect(stdout).toContain("ANTHROPIC_API_KEY is not set");
  expect(stdout).toMatch(/✗ service openai +127.0.0.1:9 does not answer/);
  expect(stdout).not.toContain(key);
  expect(exitCode).toBe(1);
  const healthy = await robota("doctor", "--output-format", "json");
  expect(healthy.exitCode).toBe(0);
  expect(JSON.parse(healthy.stdout)).toContainEqual(
    expect.objectContaining({ name: "storage", state: "ok" }),
  );
});

it("begins a project's instructions and settings, and keeps what is there", async () => {
  const manifest = { name: "demo", scripts: { test: "vitest run" } };
  await writeFile(join(home, "package.json"), JSON.stringify(manifest));
  expect((await robota("init")).stdout).toMatch(/Wrote .*AGENTS.md\nWrote .*settings.json\n/);
  expect(await readFile(join(home, "AGENTS.md"), "utf8")).toContain("npm test");
  const settings = await readFile(join(home, ".robota/settings.json"), "utf8");
  expect(JSON.parse(settings)).toEqual({ permissions: { allow: ["Bash(npm test)"] } });
  await writeFile(join(home, "AGENTS.md"), "mine");
  expect((await robota("init")).stdout).toContain("Kept");
  expect(await readFile(join(home, "AGENTS.md"), "utf8")).toBe("mine");
});

it("completes commands, options and their values in bash", async () => {
  const { stdout: script } = await robota("completion", "bash");
  const complete = (...words: string[]): string[] => {
    const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    const line = `${script}\n${set}; _robota; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", line], { encoding: "utf8" }).stdout.trim().split("\n");
  };
  expect(complete("robota", "se")).toEqual(["sessions", "serve"]);
  expect(complete("robota", "sessions", "re")).toEqual(["rename", "replay", "rewind"]);
  expect(complete("robota", "--permission-mode", "pl")).toEqual(["plan"]);
  expect(complete("robota", "--allow-e")).toEqual(["--allow-env"]);
  for (const shell of ["zsh", "fish"])
    expect((await robota("completion", shell)).stdout).toContain("fork-session");
  expect((await robota("completion", "cmd")).exitCode).toBe(2);
});
