import { InteractiveSession, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect } from "vitest";
import type { Script } from "./cut-turn.ts";

/** The id of a session at its destination. */
export const THERE = "there";

/** The session at its destination, where it goes on. */
export async function arrive(
  from: InteractiveSession,
  script: Script,
  options: Partial<Parameters<typeof InteractiveSession.import>[2]> = {},
  platform = memoryPlatform(),
): Promise<{ session: InteractiveSession; provider: ScriptedProvider }> {
  const provider = new ScriptedProvider(script);
  const session = await InteractiveSession.import(platform, await from.export({ grants: true }), {
    provider,
    sessionId: THERE,
    trusted: true,
    onInterruptedTurn: "continue",
    trackFiles: false,
    queueLimit: 3,
    ...options,
  });
  return { session, provider };
}

/** The events of one type. */
export const typesOf = (
  events: readonly SessionEvent[],
  type: SessionEvent["type"],
): SessionEvent[] => events.filter((event) => event.type === type);

/** The stored events of a session that takes no more. */
export async function eventsIn(session: InteractiveSession): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of session.events()) {
    events.push(event);
    if (event.seq >= session.lastSeq) break;
  }
  return events;
}

/** A client that saw the first events and goes on behind them at the destination has each event once. */
export function expectOneStream(
  before: readonly SessionEvent[],
  after: readonly SessionEvent[],
): void {
  const last = before.at(-1)?.seq ?? 0;
  const plain = ({ seq, type }: SessionEvent): [number, string] => [seq, type];
  expect(after.filter(({ seq }) => seq <= last).map(plain)).toEqual(before.map(plain));
  const seqs = after.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
}
