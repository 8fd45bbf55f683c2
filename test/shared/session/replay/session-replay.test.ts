import { withHost } from "#host";
import {
  defineTool,
  exportSession,
  InteractiveSession,
  type Platform,
  replaySession,
  Session,
  type SessionEvent,
  type SessionOptions,
  type Storage,
} from "@robota/runtime";
import { ReplayDivergence, type ReplayResult } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import { runScenario } from "../../../support/scenario.ts";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A session is replayed twice: both replays, and the record, are equal to the byte. Returns what was recorded. */
async function expectSameBytes(storage: Storage, sessionId: string): Promise<ReplayResult> {
  const recorded: string[] = [];
  for await (const { value } of storage.read(`sessions/${sessionId}`)) recorded.push(text(value));
  const source = { storage, sessionId };
  const first = await replaySession(source, memoryPlatform());
  expect(first.records.map(text)).toEqual(recorded);
  const second = await replaySession(source, memoryPlatform());
  expect(second.records.map(text)).toEqual(recorded);
  return first;
}

const look = defineTool<{ path: string }>({
  name: "Look",
  description: "Shows a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  access: "read",
  execute: async ({ path }) => {
    // The later ones are faster, so that what is recorded in order did not happen in order.
    await new Promise((resolve) => setTimeout(resolve, path === "a" ? 20 : 0));
    return `Contents of ${path}`;
  },
});

const slow = defineTool({
  name: "Slow",
  description: "Waits until it is stopped.",
  parameters: { type: "object" },
  access: "none",
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
});

function options(
  platform: Platform,
  script: Step[],
  more: Partial<SessionOptions> = {},
): SessionOptions {
  return {
    platform,
    provider: new ScriptedProvider(script),
    tools: [look, slow],
    sessionId: "recorded",
    trackFiles: false,
    ...more,
  };
}

const looks = (...paths: string[]): { id: string; name: string; args: { path: string } }[] =>
  paths.map((path) => ({ id: `call-${path}`, name: "Look", args: { path } }));

const calls = (...paths: string[]): Step => ({ toolCalls: looks(...paths) });

function typesOf({ events }: ReplayResult): string[] {
  return [...new Set(events.map(({ type }) => type))];
}

it("replays the main scenario from its record, byte by byte and without a model", () =>
  withHost(async (host) => {
    await runScenario(host);
    await expectSameBytes(host.platform.storage, "scenario");
  }));

it("replays parallel calls, wrong arguments, unknown tools and denials", () =>
  withHost(async ({ platform }) => {
    const session = new Session(
      options(
        platform,
        [
          { toolCalls: looks("a", "b", "c"), text: "I look." },
          {
            toolCalls: [
              { id: "wrong", name: "Look", args: { path: 5 } },
              { id: "none", name: "Nothing", args: {} },
              { id: "denied", name: "Slow", args: {} },
              { id: "fine", name: "Look", args: { path: "b" } },
            ],
          },
          { text: "Done" },
        ],
        {
          permissionMode: "default",
          permissions: { ask: ["Slow"] },
          permissionHandler: () => ({ allow: false, reason: "not now" }),
        },
      ),
    );
    await session.run("Go");
    await session.shutdown();
    const { state } = await expectSameBytes(platform.storage, "recorded");
    expect(state.messages.at(-1)?.content).toBe("Done");
  }));

it("replays turns aborted in an answer and in a tool", () =>
  withHost(async ({ platform }) => {
    const session = new Session(
      options(platform, [
        { text: "One two three four five six", delayMs: 20 },
        {
          toolCalls: [
            { id: "slow", name: "Slow", args: {} },
            { id: "a", name: "Look", args: { path: "a" } },
          ],
        },
        { text: "After" },
      ]),
    );
    const stopAt = async (type: SessionEvent["type"], message: string): Promise<void> => {
      const stop = session.subscribe((event) => {
        if (event.type === type) session.abort();
      });
      await expect(session.run(message)).rejects.toThrow();
      stop();
    };
    await stopAt("text_delta", "First");
    await stopAt("tool_start", "Second");
    expect(await session.run("Third")).toBe("After");
    await session.shutdown();
    const { events } = await expectSameBytes(platform.storage, "recorded");
    expect(events.filter((event) => event.type === "turn_end").map(({ state }) => state)).toEqual([
      "interrupted",
      "interrupted",
      "complete",
    ]);
  }));

it("replays failed calls, with and without text, and the turns after them", () =>
  withHost(async ({ platform }) => {
    const session = new Session(
      options(platform, [
        { error: "no service" },
        { toolCalls: looks("a"), text: "Looking" },
        { text: "Half an", error: new Error("cut off") },
        { text: "Fine" },
      ]),
    );
    await expect(session.run("First")).rejects.toThrow("no service");
    await expect(session.run("Second")).rejects.toThrow("cut off");
    expect(await session.run("Third")).toBe("Fine");
    await session.shutdown();
    await expectSameBytes(platform.storage, "recorded");
  }));

it("replays a failed call whose turn recorded it under another code, as earlier versions did", () =>
  withHost(async ({ platform }) => {
    const session = new Session(options(platform, [{ error: new TypeError("a mistake") }]));
    await expect(session.run("First")).rejects.toThrow("a mistake");
    await session.shutdown();
    const { events } = await expectSameBytes(platform.storage, "recorded");
    async function* recordedBefore(): AsyncGenerator<SessionEvent> {
      for (const event of events) {
        const error = event.type === "turn_end" && event.error;
        yield error ? { ...event, error: { ...error, code: "UNKNOWN_ERROR" } } : event;
      }
    }
    const replayed = await replaySession(recordedBefore(), memoryPlatform());
    const end = replayed.events.find(({ type }) => type === "turn_end");
    expect(end).toMatchObject({ error: { code: "UNKNOWN_ERROR" } });
  }));

it("replays steering, modes, names, queues, clears, insertions, rewinds and their undoing", () =>
  withHost(async ({ platform }) => {
    const session = new Session(
      options(platform, [
        calls("a"),
        calls("b"),
        { text: "One" },
        { text: "Two" },
        { text: "Three" },
      ]),
    );
    await session.setName("A session");
    await session.setPermissionMode("acceptEdits");
    const stop = session.subscribe((event) => {
      if (event.type !== "tool_start") return;
      if (event.toolCallId === "call-a") void session.steer("And b?");
      else void session.setPermissionMode("plan");
    });
    await session.runTurn({ input: "Look", displayInput: "/look", queue: ["Later"] });
    stop();
    await session.setQueue([]);
    await session.run("Again");
    const second = session.checkpoints()[1]?.id ?? "";
    const { undoId } = await session.rewind(second, "conversation");
    await session.rewind(undoId, "conversation");
    await session.clearHistory();
    await session.injectMessage("user", "Known");
    await session.injectMessage("assistant", "Indeed");
    await session.run("Go on");
    await session.shutdown();
    const { state, events } = await expectSameBytes(platform.storage, "recorded");
    expect(state.messages.map(({ content }) => content)).toEqual([
      "Known",
      "Indeed",
      "Go on",
      "Three",
    ]);
    expect(events.filter(({ type }) => type === "user_message")).toHaveLength(5);
  }));

it("replays a session over several openings, one ended during a pending approval", () =>
  withHost(async ({ platform }) => {
    const ask = { permissions: { ask: ["Look"] }, unanswered: "wait" as const };
    const first = new Session(options(platform, [{ text: "Hello" }], ask));
    await first.run("Hi");
    await first.shutdown();
    const second = new Session(options(platform, [calls("a")], ask));
    const asked = new Promise<string>((resolve) => {
      second.subscribe((event) => {
        if (event.type === "permission_request") resolve(event.request.id);
      });
    });
    second.run("Look").catch(() => undefined);
    const id = await asked;
    const third = new Session(
      options(platform, [{ text: "Seen" }, { text: "Bye" }], {
        ...ask,
        takeOver: true,
        permissionMode: "plan",
      }),
    );
    await third.open();
    await third.resolvePermission(id, { allow: true, reason: "only this one" });
    expect((await third.resumeTurn()).response).toBe("Seen");
    await third.run("Thanks");
    await third.shutdown();
    const { events } = await expectSameBytes(platform.storage, "recorded");
    expect(events.filter(({ type }) => type === "session_resume")).toHaveLength(2);
  }));

it.each([{ reloads: 0 }, { reloads: 1 }])(
  "replays a session that was moved with a pending approval, after $reloads reloads",
  ({ reloads }) =>
    withHost(async ({ platform }) => {
      const more = {
        permissions: { ask: ["Look"] },
        tools: [look, slow],
        cwd: "/",
        trackFiles: false,
      };
      const open = (script: Step[], takeOver = false): InteractiveSession =>
        new InteractiveSession({
          ...more,
          platform,
          provider: new ScriptedProvider(script),
          sessionId: "recorded",
          takeOver,
        });
      const here = open([calls("a")]);
      const asked = new Promise<void>((resolve) => here.on("permission_request", () => resolve()));
      here.submit("Look").catch(() => undefined);
      await asked;
      const reloaded = reloads > 0 ? open([], true) : here;
      await reloaded.ready;
      const there = memoryPlatform();
      const moved = await InteractiveSession.import(there, await reloaded.export(), {
        provider: new ScriptedProvider([{ text: "Seen" }, { text: "Bye" }]),
        ...more,
      });
      const ended = new Promise<void>((resolve) => moved.on("complete", () => resolve()));
      const [request] = moved.pendingPermissions();
      await moved.resolvePermission(request!.id, { allow: true });
      await ended;
      await moved.submit("Thanks");
      await moved.shutdown();
      await reloaded.shutdown();
      const { events, state } = await expectSameBytes(there.storage, moved.sessionId);
      expect(state.messages.at(-1)?.content).toBe("Bye");
      const imported = events.findIndex(
        (event) => event.type === "note" && event.kind === "imported",
      );
      expect(events[imported]?.turnId).toBeUndefined();
      expect(events[imported - 1]?.turnId).toBeDefined();
    }),
);

it("replays automatic and manual compactions, cleared old results, and a window that stays full", () =>
  withHost(async ({ platform }) => {
    const long = "word ".repeat(400);
    const session = new Session(
      options(
        platform,
        [
          { text: long },
          { text: "A summary" },
          { text: "After it" },
          { text: "Another summary" },
          { text: long },
          { text: "" },
          { text: "Last" },
        ],
        { contextWindow: 1_500, autoCompactThreshold: 0.5 },
      ),
    );
    await session.run("First");
    await session.run("Second");
    await session.compact("keep the names");
    await session.run("Third");
    await session.run("Fourth");
    await session.shutdown();
    const result = await expectSameBytes(platform.storage, "recorded");
    expect(typesOf(result)).toContain("compaction");
    expect(result.events.filter(({ type }) => type === "compaction").length).toBeGreaterThan(1);
  }));

it("names the entry and the difference when a record does not match", () =>
  withHost(async ({ platform }) => {
    const session = new Session(options(platform, [calls("a"), { text: "Done" }]));
    await session.run("Go");
    await session.shutdown();
    const source = { storage: platform.storage, sessionId: "recorded" };
    const { events } = await replaySession(source, memoryPlatform());
    const at = events.findIndex(({ type }) => type === "turn_end");
    const changed = (index: number, fields: object): SessionEvent[] =>
      events.map((event, place) => (place === index ? { ...event, ...fields } : event));
    const failure = async (record: readonly SessionEvent[]): Promise<unknown> =>
      replaySession(record, memoryPlatform()).catch((error: unknown) => error);

    const key = `sk-ant-${"a1b2".repeat(8)}`;
    const difference = await failure(changed(at, { response: key.repeat(20) }));
    expect(difference).toBeInstanceOf(ReplayDivergence);
    expect(difference).toMatchObject({
      code: "REPLAY_DIVERGED",
      seq: events[at]?.seq,
      type: "turn_end",
      path: "/response",
      found: '"Done"',
    });
    expect(String(difference)).not.toContain("sk-ant");
    expect(String(difference).length).toBeLessThan(1_000);

    // An entry that is missing, one that comes twice, and two that changed places.
    const end = events.findIndex(({ type }) => type === "tool_end");
    for (const record of [
      events.toSpliced(end, 1),
      events.toSpliced(end, 0, ...events.slice(end, end + 1)),
      [
        ...events.slice(0, end),
        ...events.slice(end, end + 2).toReversed(),
        ...events.slice(end + 2),
      ],
    ]) {
      expect(await failure(record)).toMatchObject({ code: "REPLAY_DIVERGED" });
    }
    // One id for two messages.
    const user = events.find((event) => event.type === "user_message");
    const answer = events.findIndex((event) => event.type === "assistant_message");
    const shared = events[answer];
    if (shared?.type !== "assistant_message" || !user) throw new Error("no such events");
    const message = { ...shared.message, id: user.message.id };
    expect(await failure(changed(answer, { message }))).toMatchObject({ path: "/message/id" });
  }));

it("stops at any entry with the state there, and accepts exported events as well", () =>
  withHost(async ({ platform }) => {
    const session = new Session(
      options(platform, [calls("a", "b"), { text: "One two" }, { text: "Two" }]),
    );
    await session.run("First");
    await session.run("Second");
    await session.shutdown();
    const source = { storage: platform.storage, sessionId: "recorded" };
    const { events } = await replaySession(source, memoryPlatform());
    async function* exported(): AsyncGenerator<SessionEvent> {
      yield* events;
    }
    for (const { seq } of events) {
      const there = await replaySession(exported(), memoryPlatform(), { until: seq });
      expect(there.events).toEqual(events.filter((event) => event.seq <= seq));
    }
    const second = events.findLast(({ type }) => type === "turn_start")?.seq ?? 0;
    const before = await replaySession(source, memoryPlatform(), { until: second - 1 });
    expect(before.state.messages.at(-1)?.content).toBe("One two");
    expect(before.state.turn).toBeUndefined();
  }));

it("replays an import: approvals, omitted grants, a rewind and a reload", () =>
  withHost(async ({ platform, cwd }) => {
    const write = (content: string, id: string): Step => ({
      toolCalls: [{ id, name: "Write", args: { filePath: `${cwd}/a.txt`, content } }],
    });
    const open = (script: Step[], resumeSessionId?: string): InteractiveSession =>
      new InteractiveSession({
        platform,
        cwd,
        provider: new ScriptedProvider(script),
        permissionHandler: () => "allow-session",
        resumeSessionId,
      });
    const first = open([write("one", "1"), write("two", "2"), { text: "Wrote" }, { text: "So" }]);
    await first.submit("Write");
    const [begin] = first.checkpoints();
    await first.rewind(begin?.id ?? "", "both");
    await first.submit("Again");
    await first.shutdown();
    const second = open([write("three", "3"), { text: "Wrote" }], first.sessionId);
    await second.submit("Once more");
    await second.shutdown();

    const exported = await new Response(exportSession(platform, first.sessionId)).bytes();
    const bodyOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> =>
      new Blob([bytes]).stream();
    const there = await replaySession(bodyOf(exported), memoryPlatform());
    const again = await replaySession(bodyOf(exported), memoryPlatform());
    expect(again.records.map(text)).toEqual(there.records.map(text));
    expect(there.sessionId).toBe(first.sessionId);
    expect(there.state.messages.at(-1)?.content).toBe("Wrote");
    expect(there.events.filter(({ type }) => type === "turn_end")).toHaveLength(3);

    const cut = bodyOf(exported.slice(0, exported.length - 100));
    await expect(replaySession(cut, memoryPlatform())).rejects.toMatchObject({
      code: "LOG_CORRUPT",
    });
    const nothing = bodyOf(new TextEncoder().encode("{}\n"));
    await expect(replaySession(nothing, memoryPlatform())).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
  }));

it("runs the tools on its own files on request, and compares the results", () =>
  withHost(async ({ platform }) => {
    const { name, description, parameters } = look;
    const read = defineTool<{ path: string }>({
      name,
      description,
      parameters,
      access: "read",
      execute: async ({ path }, { platform: { fs } }) =>
        new TextDecoder().decode(await fs.readFile(`/${path}`)),
    });
    const first = memoryPlatform({ files: { "/a": "one" } });
    const session = new Session({
      ...options(platform, [calls("a"), { text: "Done" }]),
      fs: first.fs,
      tools: [read, slow],
    });
    await session.run("Go");
    await session.shutdown();
    const source = { storage: platform.storage, sessionId: "recorded" };
    const run = { tools: "run" as const, toolset: [read] };
    const same = memoryPlatform({ files: { "/a": "one" } });
    const { records } = await replaySession(source, same, run);
    expect(records.map(text)).toEqual(
      (await expectSameBytes(platform.storage, "recorded")).records.map(text),
    );
    const other = memoryPlatform({ files: { "/a": "two" } });
    await expect(replaySession(source, other, run)).rejects.toMatchObject({
      code: "REPLAY_DIVERGED",
      type: "tool_end",
      path: "/message/content",
      expected: '"one"',
      found: '"two"',
    });
  }));
