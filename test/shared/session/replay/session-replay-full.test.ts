import { withHost } from "#host";
import {
  defineTool,
  type HooksConfig,
  InteractiveSession,
  type Platform,
  replaySession,
  type SessionEvent,
  type Storage,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it, vi } from "vitest";
import { type FullStorage, fullStorage } from "../../../support/recovery/full-storage.ts";

const ID = "full";
const look = defineTool<{ path: string }>({
  name: "Look",
  description: "Shows a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  access: "read",
  execute: async ({ path }) => `Contents of ${path}`,
});
const change = defineTool({
  name: "Change",
  description: "Changes something.",
  parameters: { type: "object" },
  access: "write",
  execute: async () => "Changed",
});

/** Two rounds with thinking, words and calls, one of which is asked about, and an answer. */
const TURN = [
  {
    thinking: "Which ones?",
    deltas: ["I ", "look."],
    delayMs: 1,
    toolCalls: ["a", "b"].map((path) => ({ id: `look-${path}`, name: "Look", args: { path } })),
  },
  { text: "Now a change.", toolCalls: [{ id: "change", name: "Change", args: {} }] },
  { deltas: ["All ", "is ", "done."], delayMs: 1 },
];

interface Kind {
  name: string;
  hooks?: HooksConfig;
}
const ran = (): object => ({});
const KINDS: Kind[] = [
  { name: "a turn" },
  {
    name: "a turn with hooks",
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: "function", run: ran }] }],
      PreToolUse: [{ hooks: [{ type: "function", run: ran }] }],
      PostToolUse: [{ hooks: [{ type: "function", run: ran }] }],
      Stop: [{ hooks: [{ type: "function", run: ran }] }],
      StopFailure: [{ hooks: [{ type: "function", run: ran }] }],
    },
  },
];

function opened(platform: Platform, hooks: HooksConfig = {}): InteractiveSession {
  return new InteractiveSession({
    platform,
    provider: new ScriptedProvider([...TURN, { text: "Two" }, ...TURN, { text: "Later" }]),
    tools: [look, change],
    sessionId: ID,
    trackFiles: false,
    queueLimit: 5,
    permissionMode: "default",
    permissionHandler: () => ({ allow: true }),
    hooks,
  });
}

/** Two prompts, one queued behind the other, and whatever a person does to get them answered. */
async function live(full: FullStorage, hooks: HooksConfig): Promise<SessionEvent[]> {
  const session = opened(full.platform, hooks);
  const seen: SessionEvent[] = [];
  session.on("event", (event) => seen.push(event));
  await session.ready;
  const first = session.submit("one").catch(() => undefined);
  const second = session.submit("two").catch(() => undefined);
  await first;
  await vi.waitFor(async () => {
    await session.queue.resume();
    expect(session.getQueue()).toEqual([]);
    expect(session.isExecuting()).toBe(false);
  });
  await second;
  full.isFull = () => false;
  await session.submit("three");
  await session.shutdown();
  return seen;
}

async function recordsOf(storage: Storage): Promise<string[]> {
  const records: string[] = [];
  for await (const { value } of storage.read(`sessions/${ID}`))
    records.push(new TextDecoder().decode(value));
  return records;
}

/** The events that are stored, without those that are only shown. */
const kept = (events: readonly SessionEvent[]): SessionEvent[] =>
  events.filter(({ type }) => type !== "tool_output" && type !== "context_update");

/** Lives with a storage that refuses `count` writes from each one on, and replays what is left. */
async function replayAtEachWrite(
  code: "FULL" | "IO",
  count: number,
  hooks: HooksConfig,
): Promise<void> {
  let writes = Infinity;
  for (let at = 1; at <= writes; at++) {
    await withHost(async ({ platform }) => {
      const full = fullStorage(platform, code);
      full.isFull = (write) => write >= at && write < at + count;
      const seen = kept(await live(full, hooks));
      if (at === 1) writes = full.writes;
      const recorded = await recordsOf(platform.storage);
      const { records, events } = await replaySession(
        { storage: platform.storage, sessionId: ID },
        memoryPlatform(),
      ).catch((cause: unknown) => {
        throw new Error(`${code} at write ${at}: ${String(cause)}`, { cause });
      });
      expect(records.map((record) => new TextDecoder().decode(record))).toEqual(recorded);
      // Everything shown is there, once, and nothing else.
      const numbers = events.map(({ seq, type }) => [seq, type]);
      expect(numbers).toEqual(seen.map(({ seq, type }) => [seq, type]));
      // Events that a full storage refused were not stored: their numbers are free.
      if (code === "FULL")
        expect(seen.map(({ seq }) => seq)).toEqual([...seen.keys()].map((index) => index + 1));
    });
  }
}

describe.each(KINDS)("$name", ({ hooks = {} }) => {
  it.each([1, 4])(
    "on a storage that is full at any write, for %i writes, replays to the byte",
    (count) => replayAtEachWrite("FULL", count, hooks),
  );

  it.each([1, 4])(
    "on a storage that fails at any write, for %i writes, replays to the byte",
    (count) => replayAtEachWrite("IO", count, hooks),
  );
});
