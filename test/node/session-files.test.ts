import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProjectSessionStore, nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

it("keeps a session as files for its owner alone, a line of JSON an entry", async () => {
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
