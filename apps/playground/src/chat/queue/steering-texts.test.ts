import { watchedSession } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { memoryPlatform } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { waitingAfter, waitingNow } from "./steering-texts.ts";

const { storage } = memoryPlatform();
const session = watchedSession(storage, "one");
const other = watchedSession(storage, "other");
const header = { v: 1, seq: 1, sessionId: "one", time: 0, turnId: "t" } as const;
const end: SessionEvent = { ...header, type: "turn_end", state: "interrupted", response: "" };

const told = (texts: string, to = session) =>
  texts.split("").map((text) => ({ session: to, text }));

function said(content: string, parentId?: string): SessionEvent {
  const message = { role: "user", id: content, timestamp: new Date(0), content } as const;
  return { ...header, type: "user_message", message, ...(parentId && { parentId }) };
}

it("keeps a message to a turn until the turn has read it", () => {
  const given = told("aba");
  expect(waitingAfter(given, session, [said("other")])).toBe(given);
  expect(waitingAfter(given, session, [said("a")])).toEqual(told("ba"));
  expect(waitingAfter(given, session, [said("a"), said("b")])).toEqual(told("a"));
  expect(waitingAfter(given, session, [said("a", "call")])).toBe(given);
  expect(waitingAfter(given, other, [said("a"), end])).toEqual(given);
});

it("keeps none beyond the end of the turn, but those of other sessions", () => {
  const given = [...told("ab"), ...told("c", other)];
  expect(waitingAfter(given, session, [said("a"), end])).toEqual(told("c", other));
  expect(waitingNow(given, session, undefined)).toEqual(told("c", other));
});

it("leaves out what the turn has read before anyone looked", () => {
  const turn = {
    kind: "turn",
    id: "t",
    prompt: "p",
    state: "running",
    items: [{ kind: "steer", id: "1", text: "a" }],
    startedAt: 0,
    provider: "offline",
    model: "script-1",
    cut: false,
  } as const;
  expect(waitingNow(told("ab"), session, turn)).toEqual(told("b"));
});
