import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isDamaged, LogReader } from "../../../packages/runtime/src/session/log/log-reader.ts";

/** The share of the lengths that are opened and continued, not only loaded. */
const OPEN_EVERY = 150;

let home: string;
let file: string;
let whole: Buffer;
let platform: ReturnType<typeof nodePlatform>;

function open(text: string): InteractiveSession {
  return new InteractiveSession({
    platform,
    cwd: home,
    sessionId: "s",
    provider: new ScriptedProvider([{ text }]),
  });
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "robota-truncation-"));
  platform = nodePlatform({ home });
  const session = new InteractiveSession({
    platform,
    cwd: home,
    sessionId: "s",
    permissionMode: "bypassPermissions",
    provider: new ScriptedProvider([
      { toolCalls: [{ id: "1", name: "Write", args: { filePath: "a.txt", content: "ä one\n" } }] },
      { deltas: ["Writ", "ten 👍"] },
      { toolCalls: [{ id: "2", name: "Bash", args: { command: "echo two > a.txt" } }] },
      { text: "Again" },
    ]),
  });
  await session.submit("Write");
  await session.submit("And again");
  await session.shutdown();
  file = join(home, ".robota/sessions/s.jsonl");
  whole = await readFile(file);
});
afterAll(async () => {
  await platform.dispose();
  await rm(home, { recursive: true });
});

function stored(): ReturnType<LogReader["load"]> {
  return new LogReader(platform.storage, "sessions/s", "s").load();
}

it("loads a prefix, wherever its file was cut", async () => {
  const { events } = await stored();
  let longest = 0;
  for (let length = 0; length <= whole.length; length++) {
    await writeFile(file, whole.subarray(0, length));
    const loaded = await stored();
    const { length: count } = loaded.events;
    // An assertion costs more than a load: where nothing has come, there is nothing new to look at.
    if (count === longest && !isDamaged(loaded)) continue;
    expect(isDamaged(loaded), `${length} bytes`).toBe(false);
    expect(loaded.events, `${length} bytes`).toEqual(events.slice(0, count));
    expect(count, `${length} bytes`).toBeGreaterThan(longest);
    longest = count;
  }
  expect(longest).toBe(events.length);
});

it("continues after a cut, and keeps the torn line aside", async () => {
  for (let length = OPEN_EVERY; length < whole.length; length += OPEN_EVERY) {
    await writeFile(file, whole.subarray(0, length));
    const session = open("On we go");
    await session.ready;
    const before = session.getMessages().length;
    expect((await session.submit("Go on")).response, `${length} bytes`).toBe("On we go");
    await session.shutdown();
    const again = open("");
    await again.ready;
    expect(again.getMessages().length, `${length} bytes`).toBe(before + 2);
    expect(again.getFullHistory().some(({ type }) => type === "log-damaged")).toBe(false);
    await again.shutdown();
  }
  const aside = await stat(`${file}.damaged`);
  expect(aside.size).toBeGreaterThan(0);
});

it("loads all but the changed line, and reports it", async () => {
  const lines = whole.toString("utf8").trimEnd().split("\n");
  for (const [index, line] of lines.entries()) {
    const changed = lines.with(index, line.replace('"time":', '"timf":'));
    await writeFile(file, `${changed.join("\n")}\n`);
    const loaded = await stored();
    expect(loaded.damagedRecords, `line ${index + 1}`).toBe(1);
    expect(loaded.events).toHaveLength(lines.length - 1);
  }
});
