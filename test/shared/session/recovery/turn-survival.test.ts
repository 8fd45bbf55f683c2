import { withHost } from "#host";
import { applyEvents, emptyView, lastTurn } from "@robota/react/store";
import { type InteractiveSession, listSessions } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import {
  calls,
  countedTools,
  CUT,
  cutAt,
  ended,
  endOf,
  expectSameBytes,
  nameStored,
  NEVER,
  resumeOf,
  sessionOf,
  type Survived,
  survive,
} from "../../../support/recovery/cut-turn.ts";
import { on } from "../../../support/hook-support.ts";
import { stuckProvider } from "../../../support/support.ts";

type Options = Partial<ConstructorParameters<typeof InteractiveSession>[0]>;

const resultsIn = ({ requests }: Survived): [string, unknown][] =>
  (requests[0]?.messages ?? []).flatMap((message) =>
    message.role === "tool" ? [[message.name, message.content] as [string, unknown]] : [],
  );

const UNKNOWN = expect.stringContaining("outcome is unknown");

describe("a turn that was cut goes on when its session is opened again", () => {
  it("before the model was asked", () =>
    survive({ first: [NEVER], at: /"turn_start"/, later: [{ text: "Done" }] }, (survived) => {
      const { events, requests } = survived;
      expect(requests).toHaveLength(1);
      expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      expect(resumeOf(events)).toMatchObject({ attempt: 1, again: [], unknown: [] });
      expect(new Set(events.flatMap(({ turnId }) => turnId ?? [])).size).toBe(1);
      expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(1);
    }));

  it("in the middle of an answer, whose words are void", () =>
    survive(
      {
        first: [],
        before: { provider: stuckProvider("Half ", "an ans") },
        at: /Half /,
        later: [{ deltas: ["The ", "whole ", "answer"] }],
      },
      ({ events, session }) => {
        expect(endOf(events)).toMatchObject({ state: "complete", response: "The whole answer" });
        expect(session.getMessages().map(({ content }) => content)).toEqual([
          "Go",
          "The whole answer",
        ]);
        const view = applyEvents(emptyView, events);
        expect(lastTurn(view)).toMatchObject({ state: "complete", cut: false });
        expect(lastTurn(view)?.items).toEqual([
          expect.objectContaining({ kind: "text", text: "The whole answer", streaming: false }),
        ]);
        const oneByOne = events.reduce((all, event) => applyEvents(all, [event]), emptyView);
        expect(oneByOne).toEqual(view);
        const seqs = events.map(({ seq }) => seq);
        expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      },
    ));

  it("in the middle of calls: those that only read or are declared idempotent run again, no other does", () =>
    survive(
      {
        first: [calls("look", "act", "put")],
        hanging: ["look", "act", "put"],
        at: /"tool_start".*call-put/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs).toEqual({ look: 2, act: 1, put: 2 });
        expect(resultsIn(survived)).toEqual([
          ["look", "look 2"],
          ["act", UNKNOWN],
          ["put", "put 2"],
        ]);
        expect(resumeOf(survived.events)).toMatchObject({
          again: ["call-look", "call-put"],
          unknown: ["call-act"],
        });
        const ends = survived.events.filter(({ type }) => type === "tool_end");
        expect(ends).toHaveLength(3);
        expect(endOf(survived.events)).toMatchObject({ state: "complete", response: "Done" });
      },
    ));

  it("between the record of a call and its effect: nobody can tell whether it happened", () =>
    survive(
      {
        first: [calls("look", "act")],
        before: {
          plugins: [
            { name: "hangs", category: "custom", onToolStart: () => new Promise<void>(() => {}) },
          ],
        },
        at: /"tool_start".*call-act/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs).toEqual({ look: 1, act: 0, put: 0 });
        expect(resultsIn(survived)).toEqual([
          ["look", "look 1"],
          ["act", UNKNOWN],
        ]);
      },
    ));

  it("between the results and the next request: nothing runs twice", () =>
    survive(
      {
        first: [calls("act", "look"), NEVER],
        at: /"tool_end".*call-look/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs).toEqual({ look: 1, act: 1, put: 0 });
        expect(resultsIn(survived)).toEqual([
          ["act", "act 1"],
          ["look", "look 1"],
        ]);
        expect(resumeOf(survived.events)).toMatchObject({ again: [], unknown: [] });
      },
    ));

  it("with a part of its results: only the other calls go on", () =>
    survive(
      {
        first: [calls("act", "look")],
        hanging: ["look"],
        at: /"tool_end".*call-act/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs).toEqual({ look: 2, act: 1, put: 0 });
        expect(resultsIn(survived)).toEqual([
          ["act", "act 1"],
          ["look", "look 2"],
        ]);
      },
    ));

  it("in a hook before a call, which has not begun", () => {
    const held = Promise.withResolvers<void>();
    return survive(
      {
        first: [calls("act")],
        before: { hooks: on("PreToolUse", () => held.promise) },
        release: held.resolve,
        options: { hooks: on("PreToolUse", () => undefined) },
        at: /"assistant_message".*call-act/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs.act).toBe(1);
        expect(resultsIn(survived)).toEqual([["act", "act 1"]]);
      },
    );
  });

  it("in a hook after a call, whose effect is there", () => {
    const held = Promise.withResolvers<void>();
    return survive(
      {
        first: [calls("act")],
        before: { hooks: on("PostToolUse", () => held.promise) },
        release: held.resolve,
        options: { hooks: on("PostToolUse", () => undefined) },
        at: /"tool_start".*call-act/,
        later: [{ text: "Done" }],
      },
      (survived) => {
        expect(survived.runs.act).toBe(1);
        expect(resultsIn(survived)).toEqual([["act", UNKNOWN]]);
      },
    );
  });

  it("in a hook at its end, which runs again behind the answer that is there", () => {
    const heard: unknown[] = [];
    const held = Promise.withResolvers<void>();
    return survive(
      {
        first: [{ text: "Done" }],
        before: { hooks: on("Stop", () => held.promise) },
        release: held.resolve,
        options: {
          hooks: on("Stop", (input) => void heard.push("response" in input && input.response)),
        },
        at: /"assistant_message".*Done/,
        later: [],
      },
      ({ requests, events }) => {
        expect(heard).toEqual(["Done"]);
        expect(requests).toEqual([]);
        expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      },
    );
  });

  it("in a compaction, which begins anew", () => {
    const long = "A long story ".repeat(3000);
    return survive(
      {
        first: [{ ...calls("look"), text: long, usage: { inputTokens: 9_500 } }, NEVER],
        options: { contextWindow: 10_000 },
        at: /"tool_end".*call-look/,
        later: [{ text: "The summary" }, { text: "Done" }],
      },
      ({ requests, events, after }) => {
        expect(requests).toHaveLength(2);
        expect(after.filter(({ type }) => type === "compaction")).toHaveLength(1);
        expect(requests[1]?.messages.at(-2)?.content).toContain("The summary");
        expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      },
    );
  });

  it("with the next prompts behind it", () =>
    withHost(async ({ platform, cwd }) => {
      const died = sessionOf(platform, [NEVER], { cwd });
      died.session.submit("one").catch(() => undefined);
      await cutAt(platform.storage, /"turn_start"/);
      for (const text of ["two", "three"]) died.session.submit(text).catch(() => undefined);
      const storage = await cutAt(platform.storage, /"queue":\["two","three"\]/);
      const { session, provider } = sessionOf(
        { ...platform, storage },
        [{ text: "1" }, { text: "2" }, { text: "3" }],
        { cwd },
      );
      await session.ready;
      await expect.poll(() => provider.requests.length).toBe(3);
      const events = await ended(session);
      expect(
        events.flatMap((event) => (event.type === "turn_end" ? [event.response] : [])),
      ).toEqual(["1", "2", "3"]);
      expect(session.getQueue()).toEqual([]);
      await session.shutdown();
      await died.session.shutdown();
      await expectSameBytes(storage);
    }));

  it("as the next prompt does when the cut came between two turns", () =>
    withHost(async ({ platform, cwd }) => {
      const held = Promise.withResolvers<void>();
      const isHeld = (input: object): Promise<void> | void => {
        if ("prompt" in input && input.prompt === "two") return held.promise;
      };
      const died = sessionOf(platform, [{ text: "1", delayMs: 20 }], {
        cwd,
        hooks: on("UserPromptSubmit", isHeld),
      });
      for (const text of ["one", "two"]) died.session.submit(text).catch(() => undefined);
      const storage = await cutAt(platform.storage, /"turn_end"/);
      const { session, provider } = sessionOf({ ...platform, storage }, [{ text: "2" }], { cwd });
      await session.ready;
      await expect.poll(() => provider.requests.length).toBe(1);
      await ended(session);
      expect(session.getMessages().map(({ content }) => content)).toEqual(["one", "1", "two", "2"]);
      await session.shutdown();
      held.resolve();
      await died.session.shutdown();
    }));
});

describe("a turn that waits for an approval when it is cut", () => {
  const ASKS: Options = { permissionMode: "default", permissions: { ask: ["act", "put"] } };

  it("keeps waiting, and goes on with the answer", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const died = sessionOf(platform, [calls("act", "put")], { cwd, tools, ...ASKS });
      died.session.on("permission_request", ({ id, tool }) => {
        if (tool === "act") void died.session.resolvePermission(id, { allow: true });
      });
      died.session.submit("Go").catch(() => undefined);
      const storage = await cutAt(platform.storage, /"permission_request".*call-put/);
      const { session, provider } = sessionOf({ ...platform, storage }, [{ text: "Done" }], {
        cwd,
        tools,
        ...ASKS,
      });
      await session.ready;
      const [request] = session.pendingPermissions();
      expect(request).toMatchObject({ tool: "put" });
      expect([session.pendingPermissions().length, provider.requests.length]).toEqual([1, 0]);
      await session.resolvePermission(request?.id ?? "", { allow: true });
      const events = await ended(session);
      // The one that was answered before is not asked for again.
      expect(events.filter(({ type }) => type === "permission_request")).toHaveLength(2);
      expect(runs).toEqual({ look: 0, act: 1, put: 1 });
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      await session.shutdown();
      await died.session.shutdown();
      await expectSameBytes(storage);
    }));

  it("runs what was allowed just before the cut", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const held = Promise.withResolvers<void>();
      const isHeld = (input: object): Promise<void> | void => {
        if ("tool_name" in input && input.tool_name === "look") return held.promise;
      };
      const died = sessionOf(platform, [calls("act", "look")], {
        cwd,
        tools,
        ...ASKS,
        hooks: on("PreToolUse", isHeld),
      });
      died.session.on("permission_request", ({ id }) => {
        void died.session.resolvePermission(id, { allow: true });
      });
      died.session.submit("Go").catch(() => undefined);
      const storage = await cutAt(platform.storage, /"permission_decision"/);
      expect(runs.act).toBe(0);
      const { session } = sessionOf({ ...platform, storage }, [{ text: "Done" }], {
        cwd,
        tools,
        ...ASKS,
      });
      const events = await ended(session);
      expect(events.filter(({ type }) => type === "permission_request")).toHaveLength(1);
      expect(runs).toEqual({ look: 1, act: 1, put: 0 });
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      await session.shutdown();
      held.resolve();
      await died.session.shutdown();
      await expectSameBytes(storage);
    }));
});

it("ends a turn that was cut, by default", () =>
  withHost(async ({ platform, cwd }) => {
    const died = sessionOf(platform, [NEVER], { cwd });
    died.session.submit("Go").catch(() => undefined);
    const storage = await cutAt(platform.storage, /"turn_start"/);
    const { session, provider } = sessionOf({ ...platform, storage }, [], {
      cwd,
      onInterruptedTurn: undefined,
    });
    const events = await ended(session);
    expect(endOf(events)).toMatchObject({ state: "interrupted" });
    expect(resumeOf(events)).toBeUndefined();
    expect(provider.requests).toEqual([]);
    expect(session.sessionId).toBe(CUT);
    await session.shutdown();
    await died.session.shutdown();
  }));

it("leaves a turn that was cut open when its session is named", () =>
  withHost(async ({ platform, cwd }) => {
    const died = sessionOf(platform, [NEVER], { cwd });
    died.session.submit("Go").catch(() => undefined);
    const storage = await cutAt(platform.storage, /"turn_start"/);
    await nameStored(storage, "Named");
    expect(await listSessions(storage)).toMatchObject([{ name: "Named", state: "open" }]);
    const { session } = sessionOf({ ...platform, storage }, [{ text: "Done" }], { cwd });
    expect(endOf(await ended(session))).toMatchObject({ state: "complete", response: "Done" });
    await session.shutdown();
    await died.session.shutdown();
    await expectSameBytes(storage);
  }));
