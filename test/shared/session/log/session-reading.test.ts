import { withHost } from "#host";
import { InteractiveSession, Session, type SessionEvent, type Storage } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it, vi } from "vitest";

const LOG = "sessions/long";
/** So that a few turns make a log that is worth a snapshot. */
const PROMPT = "A long question. ".repeat(4_000);
const TURNS = 20;
/** Texts of JSON that are no records of the log: a header, a snapshot. */
const SMALL = 5;
const contextWindow = 100_000_000;

/** Counts the records that are read of the session's log. */
function counting(storage: Storage): { storage: Storage; records: () => number } {
  let records = 0;
  const read: Storage["read"] = async function* (log, from) {
    for await (const entry of storage.read(log, from)) {
      if (log === LOG) records += 1;
      yield entry;
    }
  };
  const counted = new Proxy(storage, {
    get(target, name) {
      if (name === "read") return read;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { storage: counted, records: () => records };
}

async function untilNow(session: InteractiveSession): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of session.events()) {
    events.push(event);
    if (event.seq >= session.lastSeq) break;
  }
  return events;
}

it.each(["with a snapshot", "without one"])(
  "reads and decodes the log of an opened session once for the session and for whoever shows it, %s",
  (kind) =>
    withHost(async ({ platform }) => {
      const answers = Array.from({ length: TURNS }, (_, turn) => ({ text: `Answer ${turn}` }));
      const provider = new ScriptedProvider(answers);
      const made = new Session({ platform, sessionId: "long", provider, contextWindow });
      for (let turn = 0; turn < TURNS; turn++) await made.run(`${turn}: ${PROMPT}`);
      await made.shutdown();
      if (kind === "without one") await platform.storage.delete("snapshots/long");
      else expect(await platform.storage.get("snapshots/long")).toBeDefined();
      const stored = await Array.fromAsync(platform.storage.read(LOG));

      const { storage, records } = counting(platform.storage);
      const parse = vi.spyOn(JSON, "parse");
      const session = new InteractiveSession({
        platform: { ...platform, storage },
        provider: new ScriptedProvider([{ text: "More" }]),
        resumeSessionId: "long",
        contextWindow,
      });
      await session.ready;
      expect(session.isEmpty).toBe(false);
      const first = await untilNow(session);
      expect(records()).toBe(stored.length);
      const decoded = parse.mock.calls.filter(([text]) => text.includes('"seq":'));
      parse.mockRestore();
      expect(decoded.length).toBeGreaterThanOrEqual(stored.length);
      expect(decoded.length).toBeLessThan(stored.length + SMALL);

      // The next reader gets the same from storage, and then what has happened meanwhile.
      expect(await untilNow(session)).toEqual(first);
      expect(records()).toBe(2 * stored.length);
      await session.submit("More");
      const all = await untilNow(session);
      expect(all.slice(0, first.length)).toEqual(first);
      expect(all.at(-1)).toMatchObject({ type: "turn_end", state: "complete" });
      await session.shutdown();
    }),
);

it("lists the changes of a session that was opened from a snapshot, and decodes nothing again", () =>
  withHost(async ({ platform, cwd }) => {
    const write = { id: "one", name: "Write", args: { filePath: `${cwd}/a.txt`, content: "a" } };
    const answers = Array.from({ length: TURNS }, (_, turn) => ({ text: `Answer ${turn}` }));
    const options = { platform, cwd, contextWindow, permissionMode: "bypassPermissions" } as const;
    const made = new InteractiveSession({
      ...options,
      provider: new ScriptedProvider([{ toolCalls: [write] }, { text: "Written" }, ...answers]),
      sessionId: "long",
    });
    await made.submit("Write");
    for (let turn = 0; turn < TURNS; turn++) await made.submit(`${turn}: ${PROMPT}`);
    await made.shutdown();
    expect(await platform.storage.get("snapshots/long")).toBeDefined();

    const provider = new ScriptedProvider([]);
    const session = new InteractiveSession({ ...options, provider, resumeSessionId: "long" });
    await session.ready;
    const parse = vi.spyOn(JSON, "parse");
    const changed = await session.changes.changedFiles();
    expect(parse.mock.calls.length).toBeLessThan(TURNS);
    parse.mockRestore();
    expect(changed).toMatchObject([{ path: `${cwd}/a.txt`, kind: "added", now: "changed" }]);
    const [first] = session.checkpoints();
    expect(await session.changes.changedFiles(first?.id)).toEqual(changed);
    await session.shutdown();
  }));

it("gives a reader that begins before a turn each event of it once", () =>
  withHost(async ({ platform }) => {
    const options = { platform, sessionId: "long" };
    const made = new Session({ ...options, provider: new ScriptedProvider([{ text: "First" }]) });
    await made.run("Begin");
    await made.shutdown();

    const session = new InteractiveSession({
      platform,
      provider: new ScriptedProvider([{ text: "Second" }]),
      resumeSessionId: "long",
    });
    await session.ready;
    const seen: SessionEvent[] = [];
    let answered: Promise<unknown> | undefined;
    for await (const event of session.events()) {
      seen.push(event);
      answered ??= session.submit("Go on");
      if (event.type === "turn_end" && event.response === "Second") break;
    }
    await answered;
    const kept = seen.filter(({ type }) => type !== "context_update");
    const numbers = kept.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    expect(kept).toEqual(await untilNow(session));
    await session.shutdown();
  }));

it("is empty until something is said", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([{ text: "Hello" }]);
    const session = new InteractiveSession({ platform, provider });
    await session.ready;
    expect(session.isEmpty).toBe(true);
    await session.setName("Named");
    expect(session.isEmpty).toBe(true);
    await session.submit("Hello");
    expect(session.isEmpty).toBe(false);
    await session.shutdown();
  }));
