import { Ajv2020 } from "ajv/dist/2020.js";
import {
  createFunctionTool,
  InteractiveSession,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { migrate } from "../../../packages/runtime/src/session/log/migrations.ts";
import { EVENT_SCHEMAS } from "../../../packages/runtime/src/session/transfer/event-schemas.ts";
import { eventSchema } from "../../../packages/runtime/src/session/transfer/check.ts";
import schema from "../../../docs/session-format.schema.json" with { type: "json" };
import scenario from "../../scenario.json" with { type: "json" };
import {
  backgroundCall,
  collecting,
  hold,
  HOLD_CALL,
  MAIN,
  played,
  WORKER,
} from "../../support/agent-support.ts";
import { cutAt, ended, NEVER, sessionOf } from "../../support/recovery/cut-turn.ts";
import { entriesOf } from "../../support/sample-logs.ts";

const ajv = new Ajv2020({ strict: false, formats: { "date-time": dateTime } });
const validate = ajv.compile(schema);

function dateTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function problems(event: unknown): unknown {
  return validate(event) ? [] : validate.errors;
}

it("has its schema in the repository", () => {
  expect(schema).toEqual(eventSchema());
});

it("covers the recorded scenario", () => {
  for (const event of scenario.events) {
    // The recording has no times, and leaves out what differs from host to host.
    const whole = restored(event);
    expect(problems(whole), JSON.stringify(event).slice(0, 300)).toEqual([]);
  }
});

function restored(event: object): object {
  const times = JSON.stringify(event, (key, value: unknown) =>
    key === "timestamp" && value === 0 ? new Date(0).toISOString() : value,
  );
  const parsed: { type: string } = JSON.parse(times);
  return parsed.type === "session_init" ? { systemMessage: "", ...parsed } : parsed;
}

it("covers a session with every kind of event, and there is no other kind", async () => {
  const storage = new MemoryStorage();
  const platform = memoryPlatform({ storage, files: { "/code/a.txt": "one" } });
  const shown: SessionEvent[] = [];
  const fails = createFunctionTool("talks", "Talks", { type: "object" }, (_args, context) => {
    context.emit({ text: "as it goes" });
    return "done";
  });
  const write = { name: "Write", args: { filePath: "/code/a.txt", content: "two" } };
  const session = new InteractiveSession({
    platform,
    cwd: "/code",
    sessionId: "s",
    tools: [fails],
    provider: new ScriptedProvider([
      {
        thinking: "Hm",
        text: "I will",
        toolCalls: [{ name: "Read", args: { filePath: "a.txt" } }],
      },
      { toolCalls: [write] },
      { toolCalls: [{ name: "talks", args: {} }] },
      { text: "Done" },
      { text: "A summary" },
      { text: "Again" },
    ]),
  });
  session.on("event", (event) => shown.push(event));
  session.on("permission_request", ({ id }) => {
    const answer = { allow: true, scope: "session" as const, pattern: "Write(/code/**)" };
    void session.resolvePermission(id, answer);
  });
  await session.submit("Go", "shown");
  await session.setName("A name");
  await session.setPermissionMode("plan");
  await session.setModel("another");
  await session.setLanguage("German");
  await session.compact();
  await session.rewind(session.checkpoints()[0]?.id ?? "");
  await session.clearHistory();
  await session.shutdown();
  const again = new Session({
    platform,
    sessionId: "s",
    provider: new ScriptedProvider([{ text: "x" }]),
  });
  again.subscribe((event) => shown.push(event));
  await again.run("And on");
  await again.setQueue(["waits"]);
  await again.shutdown();

  const records = (await entriesOf(storage, "s")).map((entry): { type: string } =>
    JSON.parse(new TextDecoder().decode(entry)),
  );
  shown.push(...(await eventsOfAgents()), ...(await eventsOfCutTurn()));
  for (const event of [...records, ...shown.map(asJson)])
    expect(problems(event), JSON.stringify(event).slice(0, 300)).toEqual([]);

  // These need a window that is full, a rule that is taken back and a hook.
  const header = { v: 1, seq: 1, sessionId: "s", time: 0 } as const;
  const others: SessionEvent[] = [
    { ...header, type: "tool_results_cleared", keep: 2, before: 100, after: 50 },
    { ...header, type: "permission_revoked", pattern: "Bash(ls)" },
    {
      ...header,
      type: "hook_run",
      event: "PreToolUse",
      matcher: "",
      hook: "check",
      exitCode: 2,
      durationMs: 1,
      outcome: "blocked",
    },
  ];
  for (const event of others) expect(problems(event)).toEqual([]);
  const made = new Set([...records, ...shown, ...others].map(({ type }) => type));
  // A type that the schema lacks does not compile, and one that nothing makes is none.
  expect([...made].sort()).toEqual(Object.keys(EVENT_SCHEMAS).sort());
});

/** The events of a session that waits for the report of its agent in the background. */
async function eventsOfAgents(): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const held = hold();
  const { session } = played(
    {
      [MAIN]: [{ toolCalls: [backgroundCall("wait")] }, collecting(), { text: "done" }],
      [WORKER]: [{ toolCalls: [HOLD_CALL] }, { text: "the report" }],
    },
    { tools: [held.tool], permissions: { allow: ["hold"] } },
  );
  session.on("event", (event) => {
    events.push(event);
    if (event.type === "tool_start" && event.tool === "AgentOutput")
      void held.waiting(1).then(() => held.release());
  });
  await session.submit("go");
  await session.shutdown();
  return events;
}

/** The events of a session that goes on with a turn of a process that ended. */
async function eventsOfCutTurn(): Promise<SessionEvent[]> {
  const platform = memoryPlatform();
  sessionOf(platform, [NEVER])
    .session.submit("Go")
    .catch(() => undefined);
  const storage = await cutAt(platform.storage, /"turn_start"/);
  return ended(sessionOf({ ...platform, storage }, [{ text: "Done" }]).session);
}

function asJson(event: SessionEvent): object {
  return JSON.parse(JSON.stringify(event));
}

it("refuses malformed events, and accepts additions of later versions", () => {
  const event = { v: 1, seq: 1, time: 0, type: "turn_start", input: "Hi" };
  expect(problems(event)).toEqual([]);
  expect(problems({ ...event, later: 1 })).toEqual([]);
  expect(problems({ ...event, type: "later" })).toEqual([]);
  for (const wrong of [{ input: 7 }, { seq: 0 }, { v: 2 }, { seq: "1" }, { time: "now" }])
    expect(problems({ ...event, ...wrong })).not.toEqual([]);
});

it("migrates records step by step while reading", () => {
  // There was no version 0: this is what a step would be, and how several follow each other.
  const steps = {
    [-1]: ({ words, ...rest }: Record<string, unknown>) => ({ ...rest, text: words }),
    0: ({ text, ...rest }: Record<string, unknown>) => ({ ...rest, input: text }),
  };
  const event = { seq: 1, type: "turn_start", kept: { unknown: true } };
  const now = { ...event, v: 1, input: "Hi" };
  expect(migrate({ ...event, v: -1, words: "Hi" }, -1, steps)).toEqual(now);
  expect(migrate({ ...event, v: 0, text: "Hi" }, 0, steps)).toEqual(now);
  expect(migrate(now, 1, steps)).toBe(now);
  expect(() => migrate(now, 2, steps)).toThrow(expect.objectContaining({ code: "LOG_VERSION" }));
  expect(() => migrate({ v: 0 }, 0)).toThrow(expect.objectContaining({ code: "LOG_VERSION" }));
});
