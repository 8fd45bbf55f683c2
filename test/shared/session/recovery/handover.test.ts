import { withHost } from "#host";
import { exportSession, InteractiveSession, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { on } from "../../../support/hook-support.ts";
import {
  arrive,
  eventsIn,
  expectOneStream,
  THERE,
  typesOf,
} from "../../../support/recovery/arrivals.ts";
import {
  calls,
  countedTools,
  CUT,
  ended,
  endOf,
  eventsOf,
  expectSameBytes,
  nameStored,
  NEVER,
  resumeOf,
  sessionOf,
} from "../../../support/recovery/cut-turn.ts";
import { logText, stuckProvider } from "../../../support/support.ts";

type Options = Parameters<typeof sessionOf>[2];

describe("a session that is handed over", () => {
  it("goes on there with its turn, its queue and its open request, and nothing runs twice", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const options: Options = {
        cwd,
        tools,
        permissionMode: "default",
        permissions: { ask: ["put"] },
      };
      const here = sessionOf(platform, [calls("act"), calls("look", "put")], {
        ...options,
        permissions: { allow: ["act"], ask: ["put"] },
      });
      const first = here.session.submit("one");
      await expect.poll(() => here.session.pendingPermissions().length).toBe(1);
      const second = here.session.submit("two");
      await expect.poll(() => logText(platform.storage, CUT)).toContain('["two"]');
      const seen: SessionEvent[] = [];
      here.session.on("event", (event) => seen.push(event));
      const refused = Promise.all(
        [first, second].map((turn) => expect(turn).rejects.toMatchObject({ code: "HANDED_OVER" })),
      );
      await here.session.handOver({ to: { sessionId: THERE, url: "https://edge.example" } });
      await refused;
      const [request] = (await eventsIn(here.session)).filter(
        (event) => event.type === "permission_request",
      );
      const there = await arrive(here.session, [{ text: "1" }, { text: "2" }], options);
      expect(there.session.pendingPermissions()).toEqual([
        expect.objectContaining({ tool: "put", id: idOf(request) }),
      ]);
      expect(there.session.getQueue()).toEqual(["two"]);
      expect(there.provider.requests).toEqual([]);
      await there.session.resolvePermission(idOf(request), { allow: true });
      const events = await ended(there.session);
      expect(runs).toEqual({ look: 1, act: 1, put: 1 });
      expect(typesOf(events, "turn_end")).toMatchObject([{ response: "1" }, { response: "2" }]);
      expect(typesOf(events, "permission_request")).toHaveLength(1);
      expectOneStream(await eventsIn(here.session), events);
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("asks the model again for an answer that was cut, behind what everybody has seen", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [], { cwd, provider: stuckProvider("Half ") });
      const turn = here.session.submit("Go");
      await expect.poll(() => here.session.getStreamingText()).toBe("Half ");
      const refused = expect(turn).rejects.toMatchObject({ code: "HANDED_OVER" });
      await here.session.handOver({ to: { sessionId: THERE } });
      await refused;
      expect(here.session.isExecuting()).toBe(false);
      const there = await arrive(here.session, [{ text: "The whole answer" }], {
        permissionMode: "bypassPermissions",
      });
      const events = await ended(there.session);
      expect(resumeOf(events)).toMatchObject({ attempt: 1, again: [], unknown: [] });
      expect(endOf(events)).toMatchObject({ state: "complete", response: "The whole answer" });
      expectOneStream(await eventsIn(here.session), events);
      const { seq } = (await eventsIn(here.session)).at(-1) ?? { seq: 0 };
      // Everything that was shown was stored: no number is left out.
      expect(events.filter((event) => event.seq > seq)[0]?.seq).toBe(seq + 1);
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("lets a call end that runs", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const running = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const here = sessionOf(platform, [calls("act"), NEVER], {
        cwd,
        tools,
        hooks: on("PostToolUse", () => {
          running.resolve();
          return held.promise;
        }),
      });
      here.session.submit("Go").catch(() => undefined);
      await running.promise;
      const handed = here.session.handOver({ to: { sessionId: THERE }, waitMs: 60_000 });
      held.resolve();
      await handed;
      const there = await arrive(here.session, [calls("put"), { text: "Done" }], {
        tools,
        permissionMode: "bypassPermissions",
      });
      const events = await ended(there.session);
      expect(runs).toEqual({ look: 0, act: 1, put: 1 });
      expect(resumeOf(events)).toMatchObject({ again: [], unknown: [] });
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("aborts a call that does not end in time, whose outcome is unknown there", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools(["look", "act"]);
      const here = sessionOf(platform, [calls("look", "act")], { cwd, tools });
      here.session.submit("Go").catch(() => undefined);
      await expect.poll(() => runs).toEqual({ look: 1, act: 1, put: 0 });
      await here.session.handOver({ to: { sessionId: THERE }, waitMs: 10 });
      const there = await arrive(here.session, [{ text: "Done" }], {
        tools,
        permissionMode: "bypassPermissions",
      });
      const events = await ended(there.session);
      expect(resumeOf(events)).toMatchObject({ again: ["call-look"], unknown: ["call-act"] });
      expect(runs).toEqual({ look: 2, act: 1, put: 0 });
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("takes along what the running turn was told and had not taken up", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("one").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      await here.session.steer("and this");
      await here.session.handOver({ to: { sessionId: THERE } });
      const there = await arrive(here.session, [{ text: "1" }, { text: "2" }]);
      const events = await ended(there.session);
      expect(there.session.getMessages().map(({ content }) => content)).toEqual([
        "one",
        "1",
        "and this",
        "2",
      ]);
      expect(typesOf(events, "turn_end")).toHaveLength(2);
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("never goes on here again, also in another process that opens it after a crash", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const here = sessionOf(platform, [calls("act"), NEVER], { cwd, tools });
      here.session.submit("Go").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(2);
      here.session.submit("next").catch(() => undefined);
      await expect.poll(() => logText(platform.storage, CUT)).toContain('["next"]');
      await here.session.handOver({ to: { sessionId: THERE } });
      const log = await logText(platform.storage, CUT);
      await here.session.shutdown();

      const again = sessionOf(platform, [{ text: "never" }], { cwd, tools });
      await again.session.ready;
      expect(again.session.handedOverTo).toEqual({ sessionId: THERE });
      expect([again.session.isExecuting(), again.session.getQueue()]).toEqual([false, []]);
      for (const attempt of [
        () => again.session.submit("more"),
        () => again.session.setName("other"),
        () => again.session.clearHistory(),
        () => again.session.handOver({ to: { sessionId: "elsewhere" } }),
      ])
        await expect(attempt()).rejects.toMatchObject({ code: "HANDED_OVER" });
      // The second step, repeated: it names the same destination.
      expect(await again.session.handOver({ to: { sessionId: THERE } })).toEqual({
        sessionId: THERE,
      });
      expect(again.provider.requests).toEqual([]);
      expect(again.session.getMessages()).not.toEqual([]);
      const there = await arrive(again.session, [{ text: "1" }, { text: "2" }], { tools });
      const events = await ended(there.session);
      expect(typesOf(events, "turn_end")).toHaveLength(2);
      expect(runs.act).toBe(1);
      await there.session.shutdown();
      await again.session.shutdown();
      await expect(nameStored(platform.storage, "other")).rejects.toMatchObject({
        code: "HANDED_OVER",
      });
      expect(await logText(platform.storage, CUT)).toBe(log);
      await expectSameBytes(platform.storage);
    }));

  it("comes back in the same way", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("one").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      await here.session.handOver({ to: { sessionId: THERE } });
      const there = await arrive(here.session, [NEVER]);
      await expect.poll(() => there.provider.requests.length).toBe(1);
      there.session.submit("two").catch(() => undefined);
      await expect.poll(() => there.session.getQueue()).toEqual(["two"]);
      await there.session.handOver({ to: { sessionId: "back" } });
      const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }]);
      const back = await InteractiveSession.import(platform, await there.session.export(), {
        provider,
        cwd,
        sessionId: "back",
        trusted: true,
        onInterruptedTurn: "continue",
        trackFiles: false,
      });
      const events = await ended(back);
      expect(typesOf(events, "turn_start")).toHaveLength(2);
      expect(typesOf(events, "turn_end")).toMatchObject([{ response: "1" }, { response: "2" }]);
      expectOneStream(await eventsIn(there.session), events);
      expectOneStream(await eventsIn(here.session), events);
      for (const session of [back, there.session, here.session]) await session.shutdown();
    }));
});

describe("the turn of a session does not go on", () => {
  it.each<[string, { sessionId?: string; trusted?: boolean }]>([
    ["under an id that was not named", { sessionId: "thief" }],
    ["for an import that nobody trusts", { trusted: false }],
  ])("%s", (_, how) =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("Go").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      await here.session.handOver({ to: { sessionId: THERE } });
      const there = await arrive(here.session, [], how);
      const events = await ended(there.session);
      expect(endOf(events)).toMatchObject({ state: "interrupted" });
      expect(there.provider.requests).toEqual([]);
      await there.session.shutdown();
      await here.session.shutdown();
    }),
  );

  it("in a copy of a session that was not handed over, although its owner imports it", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("Go").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      const there = await arrive(here.session, []);
      expect(endOf(await ended(there.session))).toMatchObject({ state: "interrupted" });
      expect(here.session.isExecuting()).toBe(true);
      await there.session.shutdown();
      await here.session.shutdown();
    }));

  it("from an import that was cut", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("Go").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      await here.session.handOver({ to: { sessionId: THERE } });
      const stored = memoryPlatform();
      const other = memoryPlatform();
      await InteractiveSession.import(other, await here.session.export(), {
        provider: new ScriptedProvider([]),
        sessionId: THERE,
        trusted: true,
      }).then((session) => session.shutdown());
      // As a host leaves it that ends in the middle of the import.
      const records: Uint8Array[] = [];
      for await (const { value } of other.storage.read(`sessions/${THERE}`)) {
        if (new TextDecoder().decode(value).includes('"imported"')) break;
        records.push(value);
      }
      await stored.storage.append(`sessions/${THERE}`, records);
      const { session, provider } = sessionOf(stored, [{ text: "never" }], { sessionId: THERE });
      await expect(session.ready).rejects.toMatchObject({ code: "LOG_CORRUPT" });
      expect(provider.requests).toEqual([]);
      await session.shutdown();
      // The rest of the first attempt is gone, so the session can arrive again.
      const again = await arrive(here.session, [{ text: "Done" }], {}, stored);
      expect(endOf(await ended(again.session))).toMatchObject({ response: "Done" });
      await again.session.shutdown();
      await here.session.shutdown();
    }));
});

it("is forked as a session of its own", () =>
  withHost(async ({ platform, cwd }) => {
    const here = sessionOf(platform, [{ text: "1" }], { cwd });
    await here.session.submit("one");
    await here.session.handOver({ to: { sessionId: THERE } });
    const fork = await here.session.fork();
    expect(fork.handedOverTo).toBeUndefined();
    expect(fork.getMessages()).toHaveLength(2);
    await fork.setName("fork");
    await fork.shutdown();
    await here.session.shutdown();
    const text = await new Response(exportSession(platform.storage, CUT)).text();
    expect(text).toContain('"handed-over"');
  }));

it("refuses what can't be handed over", () =>
  withHost(async ({ platform, cwd }) => {
    const { session } = sessionOf(platform, [{ text: "1" }], { cwd });
    await expect(session.handOver({ to: { sessionId: THERE } })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await session.submit("one");
    for (const sessionId of [CUT, "../etc"])
      await expect(session.handOver({ to: { sessionId } })).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
      });
    expect((await eventsOf(session)).some(({ type }) => type === "note")).toBe(false);
    await session.shutdown();
  }));

function idOf(event: SessionEvent | undefined): string {
  return event?.type === "permission_request" ? event.request.id : "";
}
