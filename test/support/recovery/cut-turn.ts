import { withHost } from "#host";
import {
  defineTool,
  InteractiveSession,
  type Platform,
  replaySession,
  type SessionEvent,
  SessionStore,
  type Storage,
  type Tool,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect } from "vitest";
import { afterCrash, logText } from "../support.ts";

type Options = Extract<ConstructorParameters<typeof InteractiveSession>[0], { platform: Platform }>;
export type Script = ConstructorParameters<typeof ScriptedProvider>[0];

export const CUT = "cut";
/** An answer that never comes. */
export const NEVER = { text: "never", delayMs: Infinity };

/** Tools that count their runs, and whose first `hanging` runs never end. */
export function countedTools(hanging: readonly string[] = []): {
  tools: Tool[];
  runs: Record<"look" | "act" | "put", number>;
} {
  const runs = { look: 0, act: 0, put: 0 };
  const left = [...hanging];
  const tool = (name: keyof typeof runs, more: Pick<Tool, "access" | "idempotent">): Tool =>
    defineTool({
      name,
      description: name,
      parameters: { type: "object" },
      execute: () => {
        runs[name] += 1;
        const at = left.indexOf(name);
        if (at < 0) return `${name} ${runs[name]}`;
        left.splice(at, 1);
        return new Promise<string>(() => {});
      },
      ...more,
    });
  const tools = [
    tool("look", { access: "read" }),
    tool("act", {}),
    tool("put", { access: "network-write", idempotent: true }),
  ];
  return { tools, runs };
}

export const calls = (...names: string[]): { toolCalls: { id: string; name: string }[] } => ({
  toolCalls: names.map((name) => ({ id: `call-${name}`, name })),
});

/** A session that goes on with a turn that was cut, and its provider. */
export function sessionOf(
  platform: Platform,
  script: Script,
  options: Partial<Options> = {},
): { session: InteractiveSession; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({
    platform,
    provider,
    sessionId: CUT,
    permissionMode: "bypassPermissions",
    trackFiles: false,
    onInterruptedTurn: "continue",
    queueLimit: 3,
    ...options,
  });
  return { session, provider };
}

/** The storage as the next page or process finds it, once its log matches; the session does not notice. */
export async function cutAt(storage: Storage, text: RegExp): Promise<Storage> {
  await expect.poll(() => logText(storage, CUT)).toMatch(text);
  return afterCrash(storage, CUT);
}

/** Resolves when nothing runs in the session any more; to all of its events. */
export async function ended(session: InteractiveSession): Promise<SessionEvent[]> {
  await session.ready;
  await expect.poll(() => session.isExecuting()).toBe(false);
  return eventsOf(session);
}

/** The stored events so far. */
export async function eventsOf(session: InteractiveSession): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const stop = new AbortController();
  const name = crypto.randomUUID();
  await session.setName(name);
  for await (const event of session.events({ signal: stop.signal })) {
    if (event.type === "name_change" && event.name === name) break;
    events.push(event);
  }
  return events;
}

/** Names the session in its record, while nobody has it open. */
export async function nameStored(storage: Storage, name: string): Promise<void> {
  const store = new SessionStore(storage);
  const record = await store.load(CUT);
  if (!record) throw new Error("The session is not stored");
  await store.save({ ...record, name });
}

/** The record of the session is reproduced by a replay to the byte. */
export async function expectSameBytes(storage: Storage): Promise<void> {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const recorded: string[] = [];
  for await (const { value } of storage.read(`sessions/${CUT}`)) recorded.push(text(value));
  const { records } = await replaySession({ storage, sessionId: CUT }, memoryPlatform());
  expect(records.map(text)).toEqual(recorded);
}

export interface Case {
  /** Answers before the cut; the last one never comes. */
  first: Script;
  /** Recorded when the turn is cut. */
  at: RegExp;
  later: Script;
  options?: Partial<Options>;
  /** Options of the life before the cut only. */
  before?: Partial<Options>;
  /** Ends what hangs in the life before the cut, for its shutdown. */
  release?: () => void;
  hanging?: string[];
}

export interface Survived {
  events: SessionEvent[];
  /** Events after the cut. */
  after: SessionEvent[];
  runs: Record<"look" | "act" | "put", number>;
  requests: ReturnType<typeof sessionOf>["provider"]["requests"];
  session: InteractiveSession;
  storage: Storage;
}

/** Cuts a turn, opens its session again on the same storage, and waits for the end of all that goes on by itself. */
export async function survive(
  { first, at, later, options, before, release, hanging = [] }: Case,
  look: (survived: Survived) => Promise<void> | void,
): Promise<void> {
  await withHost(async ({ platform, cwd }) => {
    const { tools, runs } = countedTools(hanging);
    const shared = { cwd, tools, ...options };
    const died = sessionOf(platform, first, { ...shared, ...before });
    died.session.submit("Go").catch(() => undefined);
    const storage = await cutAt(platform.storage, at);
    const { session, provider } = sessionOf({ ...platform, storage }, later, shared);
    const events = await ended(session);
    const resumed = events.findLastIndex(({ type }) => type === "session_resume");
    const after = events.slice(resumed);
    await look({ events, after, runs, requests: provider.requests, session, storage });
    await session.shutdown();
    release?.();
    await died.session.shutdown();
    await expectSameBytes(storage);
  });
}

export function endOf(events: readonly SessionEvent[]): SessionEvent | undefined {
  return events.findLast(({ type }) => type === "turn_end");
}

export function resumeOf(events: readonly SessionEvent[]): SessionEvent | undefined {
  return events.findLast(({ type }) => type === "turn_resume");
}
