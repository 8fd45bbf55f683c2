import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProjectSessionStore, nodePlatform } from "@robota/adapters-node";
import {
  bashTool,
  InteractiveSession,
  Session,
  SessionStore,
  StorageSessionLogger,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("stores a session as files for its owner alone, a line of JSON per entry", async () => {
  const home = await mkdtemp(join(tmpdir(), "robota-home-"));
  try {
    const platform = nodePlatform({ home });
    const session = new InteractiveSession({
      platform,
      cwd: home,
      provider: new ScriptedProvider([{ text: "Hello" }]),
    });
    await session.submit("Hi");
    await session.shutdown();
    const base = join(home, ".robota/sessions", session.sessionId);
    for (const file of [`${base}.json`, `${base}.jsonl`])
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(`${base}.jsonl`, "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toContain("turn_end");
    expect(JSON.parse(await readFile(`${base}.json`, "utf8"))).toMatchObject({
      id: session.sessionId,
      preview: "Hi",
    });
    const { stdout } = await promisify(execFile)("grep", [
      "-c",
      '"type":"user_message"',
      `${base}.jsonl`,
    ]);
    expect(stdout.trim()).toBe("1");

    const store = createProjectSessionStore(home, { home });
    expect((await store.list()).map(({ id }) => id)).toEqual([session.sessionId]);
    expect((await store.load(session.sessionId))?.messages).toHaveLength(2);
    expect(await createProjectSessionStore("/elsewhere", { home }).list()).toEqual([]);
    await platform.dispose();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

it("stores a session's log as files that jq and grep can read, for its owner alone", async () => {
  const home = await mkdtemp(join(tmpdir(), "robota-home-"));
  try {
    const platform = nodePlatform({ home });
    const session = new Session({
      platform,
      cwd: home,
      sessionId: "logged",
      provider: new ScriptedProvider([{ text: "A long answer. ".repeat(5000) }]),
      logger: new StorageSessionLogger(platform.storage),
    });
    await session.run("Hi");
    await session.shutdown();
    const log = join(home, ".robota/logs/logged.jsonl");
    expect((await stat(log)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line));
    expect(entries.at(-1)).toMatchObject({ v: 1, sessionId: "logged", event: "session_shutdown" });
    const { content } = entries.find(({ event }) => event === "assistant").data;
    const payload = join(home, ".robota/logs", content.relativePath);
    expect((await stat(payload)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(payload, "utf8"))).toBe("A long answer. ".repeat(5000));
    await platform.dispose();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

it("migrates session files of an older version", async () => {
  const home = await mkdtemp(join(tmpdir(), "robota-home-"));
  try {
    const sessions = join(home, ".robota/sessions");
    await mkdir(sessions, { recursive: true });
    const time = "2025-01-01T00:00:00.000Z";
    const messages = [{ id: "1", role: "user", content: "Hi", timestamp: time }];
    const old = { id: "old", cwd: home, createdAt: time, updatedAt: time, messages };
    await writeFile(join(sessions, "old.json"), JSON.stringify(old, null, 2));
    const platform = nodePlatform({ home });
    const store = new SessionStore(platform.storage);
    expect((await store.load("old"))?.history).toMatchObject([{ type: "user" }]);
    expect(await store.migrate()).toEqual(["old"]);
    expect((await createProjectSessionStore(home, { home }).load("old"))?.messages).toMatchObject([
      { content: "Hi" },
    ]);
    expect(await store.migrate()).toEqual([]);
    await platform.dispose();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

it("reports files ignored by git as not covered when a command may have changed them", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "robota-ignored-")));
  const cwd = join(home, "workspace");
  await mkdir(join(cwd, "dist"), { recursive: true });
  await mkdir(join(cwd, "node_modules"));
  writeFileSync(join(cwd, ".gitignore"), "dist\n*.log\n");
  writeFileSync(join(cwd, "build.log"), "built\n");
  writeFileSync(join(cwd, "kept.txt"), "kept\n");
  await using platform = nodePlatform({ home });
  const command = "echo x > kept.txt; echo x > dist/out; echo x >> build.log";
  const runs = (id: string) => ({ toolCalls: [{ id, name: "Bash", args: { command } }] });
  const options = {
    platform,
    cwd,
    tools: [bashTool],
    sessionId: "ignored",
    permissionMode: "bypassPermissions" as const,
  };
  for (const life of ["first", "second"]) {
    const provider = new ScriptedProvider([runs(life), { text: "done" }]);
    const session = new Session({ ...options, provider });
    await session.run("go");
    const { files } = await session.rewind(session.checkpoints()[0]?.id ?? "", "files");
    expect(files.restored).toEqual([join(cwd, "kept.txt")]);
    expect(files.notRestored.map(({ path }) => path).sort()).toEqual(
      ["build.log", "dist", "node_modules"].map((name) => join(cwd, name)),
    );
    // Once, and not with each command or each life.
    const notes = session.getFullHistory().filter(({ type }) => type === "files-not-covered");
    expect(notes).toHaveLength(3);
    await session.shutdown();
  }
  expect(await readFile(join(cwd, "kept.txt"), "utf8")).toBe("kept\n");
  await rm(home, { recursive: true, force: true });
});

it("reports that the files of a too large workspace could not be tracked", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "robota-large-")));
  const cwd = join(home, "workspace");
  await mkdir(join(cwd, "many"), { recursive: true });
  for (let index = 0; index < 10_001; index++) writeFileSync(join(cwd, "many", `${index}`), "");
  await using platform = nodePlatform({ home });
  const session = new Session({
    platform,
    cwd,
    tools: [bashTool],
    permissionMode: "bypassPermissions",
    provider: new ScriptedProvider([
      { toolCalls: [{ id: "b", name: "Bash", args: { command: "echo x > made.txt" } }] },
      { text: "done" },
    ]),
  });
  await session.run("go");
  const { files } = await session.rewind(session.checkpoints()[0]?.id ?? "");
  expect(files.notRestored).toEqual([{ path: cwd, reason: expect.stringContaining("too large") }]);
  await session.shutdown();
  await rm(home, { recursive: true, force: true });
});
