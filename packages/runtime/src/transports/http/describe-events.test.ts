import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import {
  backgroundCall,
  collecting,
  eventOf,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  WORKER,
} from "../../../../../test/support/agent-support.ts";
import { problemFinder } from "../../../../../test/support/network/described.ts";
import { readEvents } from "../../../../../test/support/network/http-sessions.ts";
import { recordings } from "../../../../../test/support/protocols/recordings.ts";
import { afterCrash } from "../../../../../test/support/support.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import { EVENT_SCHEMAS } from "../../session/transfer/event-schemas.ts";
import { httpTransport } from "./http-transport.ts";

const problemsOf = problemFinder(Validator);

/** The events of a session as a client reads them from the start. */
async function eventsOverHttp(session: InteractiveSession): Promise<SessionEvent[]> {
  const transport = httpTransport({ tokens: { me: "me-secret" } });
  session.attachTransport(transport);
  await transport.start();
  const { lastSeq } = session;
  const response = await transport.fetch(
    new Request(`http://localhost/v1/sessions/${session.sessionId}/events`, {
      headers: { authorization: "Bearer me-secret", accept: "text/event-stream" },
    }),
  );
  const events: SessionEvent[] = [];
  for await (const { data } of readEvents(response)) {
    const event = JSON.parse(data) as SessionEvent;
    events.push(event);
    if (event.seq >= lastSeq) break;
  }
  await transport.stop();
  return events;
}

/** Does everything to a session that a person may do beside talking to it. */
async function handled(): Promise<SessionEvent[]> {
  const write = { toolCalls: [{ name: "Write", args: { filePath: "/work/a.txt", content: "x" } }] };
  const main = [write, { text: "Written." }, { text: "Again." }, write, { text: "After." }];
  const { session } = played(
    { [MAIN]: main },
    {
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "function", run: () => ({}) }] }] },
    },
  );
  session.on("permission_request", ({ id }) => {
    void session.resolvePermission(id, { allow: true, scope: "session" });
  });
  await session.submit("write");
  const [rule] = session.getSessionAllowedTools();
  await session.revokePermission(rule ?? "");
  await session.setName("Ann's");
  await session.setLanguage("German");
  await session.setModel("other");
  await session.setPermissionMode("plan");
  await session.submit("again");
  await session.rewind(session.checkpoints().at(-1)?.id ?? "", "conversation");
  await session.clearHistory();
  const events = await eventsOverHttp(session);
  await session.shutdown();
  return events;
}

/** Crashes in the middle of a turn, which goes on when the session is opened again. */
async function reopened(): Promise<SessionEvent[]> {
  const { session, platform, asked } = played({ [MAIN]: [{ text: "never", delayMs: Infinity }] });
  const left = session.submit("write").catch(() => undefined);
  await expect.poll(() => asked.length).toBe(1);
  const { sessionId: resumeSessionId } = session;
  const storage = await afterCrash(platform.storage, resumeSessionId);
  await session.shutdown();
  await left;
  const { session: again } = played(
    { [MAIN]: [{ text: "Written." }] },
    { platform: { ...platform, storage }, resumeSessionId, onInterruptedTurn: "continue" },
  );
  const ended = new Promise((resolve) => again.on("complete", resolve));
  await again.ready;
  await ended;
  const events = await eventsOverHttp(again);
  await again.shutdown();
  return events;
}

/** Reads so much that old results are cleared, then waits for an agent in the background. */
async function crowded(): Promise<SessionEvent[]> {
  const names = Array.from({ length: 8 }, (_, index) => `/work/${index}.txt`);
  const reads = names.map((filePath) => ({ toolCalls: [{ name: "Read", args: { filePath } }] }));
  const { session } = played(
    {
      [MAIN]: [...reads, { text: "Read." }, { text: "Next." }],
      "": [{ text: "a summary" }],
    },
    {
      files: Object.fromEntries(names.map((name) => [name, `${name} words\n`.repeat(1_500)])),
      autoCompactThreshold: 0.2,
    },
  );
  await session.submit("read them");
  await session.submit("go on");
  const events = await eventsOverHttp(session);
  await session.shutdown();
  return events;
}

/** Takes the report of an agent in the background. */
async function collected(): Promise<SessionEvent[]> {
  const held = hold();
  const { session } = played(
    {
      [MAIN]: [{ toolCalls: [backgroundCall("look")] }, collecting(), { text: "Looked." }],
      [WORKER]: [{ toolCalls: [HOLD_CALL] }, { text: "Found." }],
    },
    { tools: [held.tool], permissions: { allow: ["hold"] } },
  );
  const waits = eventOf(session, "tool_start", ({ tool }) => tool === "AgentOutput");
  const turn = session.submit("look");
  await Promise.all([waits, held.waiting(1)]);
  held.release();
  await turn;
  const events = await eventsOverHttp(session);
  await session.shutdown();
  return events;
}

it("describes a real event of every type, field by field", async () => {
  const live = (await recordings()).flatMap(({ events }) => events);
  const scenes = await Promise.all([handled(), reopened(), crowded(), collected()]);
  const events = [...live, ...scenes.flat()];
  const schema = { $ref: "#/components/schemas/SessionEvent" };
  for (const event of events) {
    const value: unknown = JSON.parse(JSON.stringify(event));
    expect([event.type, problemsOf(schema, value)]).toEqual([event.type, []]);
  }
  // A new type of event needs a scene here, or in the recordings.
  const seen = new Set<string>(events.map(({ type }) => type));
  expect(Object.keys(EVENT_SCHEMAS).filter((type) => !seen.has(type))).toEqual([]);
});
