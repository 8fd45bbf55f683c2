import { withHost } from "#host";
import { deleteSession, type Platform, Session, type Storage } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { afterCrash } from "../../../support/support.ts";

const KEY = "snapshots/long";
const LOG = "sessions/long";
/** So that a few turns make a log that is worth a snapshot. */
const PROMPT = "A long question. ".repeat(4_000);

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

function open(platform: Platform, script: Step[] = [], cwd = "/work"): Session {
  return new Session({
    platform,
    cwd,
    sessionId: "long",
    provider: new ScriptedProvider(script),
    permissionMode: "bypassPermissions",
    contextWindow: 100_000_000,
  });
}

/** Everything that a session says of itself. */
function factsOf(session: Session): Record<string, unknown> {
  return {
    tokens: session.getContextState(),
    breakdown: session.getContextBreakdown(),
    usage: session.getUsage(),
    cost: session.getCost(),
    turns: session.getMessageCount(),
    name: session.getName(),
    mode: session.getPermissionMode(),
    allowed: session.getSessionAllowedTools(),
    messages: session.getHistory(),
    history: session.getFullHistory(),
    checkpoints: session.checkpoints(),
  };
}

async function bytesOf(storage: Storage, log: string): Promise<number> {
  let bytes = 0;
  for await (const { value } of storage.read(log)) bytes += value.length;
  return bytes;
}

/** The session's state from its log alone. */
async function withoutSnapshot(platform: Platform): Promise<Record<string, unknown>> {
  const storage = await afterCrash(platform.storage, "long");
  const session = open({ ...platform, storage });
  await session.open();
  const facts = factsOf(session);
  await session.shutdown();
  return facts;
}

async function withSnapshot(platform: Platform): Promise<Record<string, unknown>> {
  const session = open(platform);
  await session.open();
  const facts = factsOf(session);
  await session.shutdown();
  return facts;
}

async function makeLong(platform: Platform, turns: number, more: Step[] = []): Promise<Session> {
  const answers = Array.from({ length: turns }, (_, turn) => ({ text: `Answer ${turn}` }));
  const session = open(platform, [...answers, ...more]);
  for (let turn = 0; turn < turns; turn++) await session.run(`${turn}: ${PROMPT}`);
  return session;
}

it("gives the same state from a snapshot and later events as from the whole log", () =>
  withHost(async ({ platform, cwd }) => {
    const path = `${cwd}/a.txt`;
    await platform.fs.writeFile(path, "at first");
    const write = (content: string): Step => ({
      toolCalls: [{ id: content, name: "Write", args: { filePath: path, content } }],
    });
    const made = await makeLong(platform, 20);
    await made.setName("A long one");
    await made.shutdown();
    expect(await platform.storage.get(KEY)).toBeDefined();
    const early = await withSnapshot(platform);
    expect(early).toEqual(await withoutSnapshot(platform));

    // The events after the snapshot change state from before it in every possible way.
    const script = [write("then"), { text: "Written" }, { text: "A summary" }, { text: "More" }];
    const later = open(platform, script, cwd);
    await later.run("Write");
    const [first] = later.checkpoints();
    await later.setPermissionMode("plan");
    expect(await later.run("More")).toBe("A summary");
    await later.rewind(later.checkpoints()[3]?.id ?? "", "conversation");
    await later.shutdown();
    const facts = await withSnapshot(platform);
    expect(facts).toEqual(await withoutSnapshot(platform));
    expect(facts["history"]).toHaveLength(8);

    const again = open(platform, [{ text: "Gone on" }]);
    await again.open();
    expect(again.getHistory()).toHaveLength(6);
    expect(await again.run("Go on")).toBe("Gone on");
    await again.rewind(first?.id ?? "");
    expect(again.getHistory()).toEqual([]);
    expect(new TextDecoder().decode(await platform.fs.readFile(path))).toBe("at first");
    await again.shutdown();
  }));

it("skips a snapshot that is damaged, of another log or of another version", () =>
  withHost(async ({ platform }) => {
    const { storage } = platform;
    await (await makeLong(platform, 20)).shutdown();
    const facts = await withoutSnapshot(platform);
    const good = (await storage.get(KEY)) ?? new Uint8Array();
    const text = new TextDecoder().decode(good);
    const bad = [
      good.subarray(0, good.length - 1),
      good.with(100, (good[100] ?? 0) ^ 1),
      good.subarray(0, 0),
      new TextEncoder().encode(text.replace(/"v":\d+/, '"v":99')),
      new TextEncoder().encode("no snapshot\n\n00000000"),
    ];
    for (const bytes of bad) {
      await storage.set(KEY, bytes);
      expect(await withSnapshot(platform)).toEqual(facts);
    }

    // A record from before the snapshot is damaged: the log says so, whatever the snapshot holds.
    const values = await Array.fromAsync(storage.read(LOG), ({ value }) => new Uint8Array(value));
    const [, , damaged] = values;
    if (damaged) damaged[40] = (damaged[40] ?? 0) ^ 1;
    await storage.deleteLog(LOG);
    await storage.append(LOG, values);
    await storage.set(KEY, good);
    const session = open(platform);
    await session.open();
    expect(session.getFullHistory().at(-1)).toMatchObject({
      type: "log-damaged",
      data: { damagedRecords: 1 },
    });
    await session.shutdown();

    await deleteSession(storage, "long");
    expect(await storage.keys("snapshots/")).toEqual([]);
  }));

it("costs a small share of the log, at any length", () =>
  withHost(async ({ platform }) => {
    let [writes, written] = [0, 0];
    const storage = new Proxy(platform.storage, {
      get: (target, name) => {
        if (name === "set")
          return (key: string, value: Uint8Array, options?: object) => {
            if (key === KEY) [writes, written] = [writes + 1, written + value.length];
            return target.set(key, value, options);
          };
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const session = await makeLong({ ...platform, storage }, 60);
    await session.shutdown();
    const log = await bytesOf(platform.storage, LOG);
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThan(5);
    expect(written).toBeLessThan(log / 2);
  }));
