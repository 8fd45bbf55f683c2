import { withHost } from "#host";
import { type InteractiveSession, type SessionEvent } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import {
  calls,
  countedTools,
  cutAt,
  ended,
  endOf,
  eventsOf,
  expectSameBytes,
  NEVER,
  resumeOf,
  sessionOf,
  survive,
} from "../../../support/recovery/cut-turn.ts";

describe("a turn that goes on", () => {
  it("counts the rounds and the tokens before the cut", () =>
    survive(
      {
        first: [{ ...calls("act"), usage: { inputTokens: 100, outputTokens: 10 } }, NEVER],
        at: /"tool_end".*call-act/,
        options: { maxTurns: 2 },
        later: [
          { ...calls("look"), usage: { inputTokens: 200, outputTokens: 20 } },
          { text: "Done", usage: { inputTokens: 300, outputTokens: 30 } },
        ],
      },
      ({ requests, events, session }) => {
        expect(requests.map(({ options }) => options.tools === undefined)).toEqual([false, true]);
        expect(endOf(events)).toMatchObject({ usage: { inputTokens: 600, outputTokens: 60 } });
        expect(session.getUsage()).toMatchObject({ inputTokens: 600, outputTokens: 60 });
      },
    ));

  it("ends at the budget that it had spent before the cut", () =>
    survive(
      {
        first: [{ ...calls("act"), usage: { inputTokens: 100, outputTokens: 10 } }, NEVER],
        at: /"tool_end".*call-act/,
        options: { turnBudget: { tokens: 110 } },
        later: [{ text: "never asked for" }],
      },
      ({ requests, events }) => {
        expect(requests).toEqual([]);
        expect(endOf(events)).toMatchObject({
          state: "failed",
          error: { code: "BUDGET_EXCEEDED" },
        });
      },
    ));

  it("ends with an error when it is cut again and again without a finished step", () =>
    withHost(async ({ platform, cwd }) => {
      let { storage } = platform;
      const lives: InteractiveSession[] = [];
      for (let life = 0; life < 6; life++) {
        const { session } = sessionOf({ ...platform, storage }, [NEVER], { cwd });
        lives.push(session);
        if (life === 0) session.submit("Go").catch(() => undefined);
        const at = life === 0 ? /"turn_start"/ : new RegExp(`"attempt":${life}`);
        storage = await cutAt(storage, at);
      }
      const { session, provider } = sessionOf({ ...platform, storage }, [{ text: "Next" }], {
        cwd,
      });
      const events = await ended(session);
      expect(endOf(events)).toMatchObject({
        state: "failed",
        error: { code: "TURN_CUT_TOO_OFTEN", hint: expect.any(String) },
      });
      expect(provider.requests).toEqual([]);
      expect((await session.submit("And now?")).response).toBe("Next");
      for (const each of [session, ...lives]) await each.shutdown();
      await expectSameBytes(storage);
    }));

  it("begins to count its cuts anew with each finished step", () =>
    withHost(async ({ platform, cwd }) => {
      let { storage } = platform;
      const lives: InteractiveSession[] = [];
      const { tools } = countedTools();
      for (let life = 0; life < 8; life++) {
        const script = [{ toolCalls: [{ id: `call-${life}`, name: "act" }] }, NEVER];
        const { session } = sessionOf({ ...platform, storage }, script, { cwd, tools });
        lives.push(session);
        if (life === 0) session.submit("Go").catch(() => undefined);
        storage = await cutAt(storage, new RegExp(`"tool_end".*"call-${life}"`));
      }
      const { session } = sessionOf({ ...platform, storage }, [{ text: "Done" }], { cwd, tools });
      const events = await ended(session);
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      expect(resumeOf(events)).toMatchObject({ attempt: 1 });
      for (const each of [session, ...lives]) await each.shutdown();
      await expectSameBytes(storage);
    }));

  it("runs nowhere else: who is taken over does not go on", () =>
    withHost(async ({ platform, cwd }) => {
      const { tools, runs } = countedTools();
      const { session: evicted } = sessionOf(platform, [calls("act"), NEVER], { cwd, tools });
      const turn = evicted.submit("Go");
      turn.catch(() => undefined);
      await cutAt(platform.storage, /"tool_end".*call-act/);
      const { session } = sessionOf(platform, [calls("look"), { text: "Done" }], {
        cwd,
        tools,
        takeOver: true,
      });
      const events = await ended(session);
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Done" });
      await turn.catch(() => undefined);
      expect(runs).toEqual({ look: 1, act: 1, put: 0 });
      await session.shutdown();
      await evicted.shutdown();
      await expectSameBytes(platform.storage);
    }));

  it("is shown from anywhere in its events as from their beginning", () =>
    survive(
      {
        first: [calls("look")],
        hanging: ["look"],
        at: /"tool_start".*call-look/,
        later: [{ text: "Done" }],
      },
      async ({ session, events }) => {
        const middle = events[Math.floor(events.length / 2)]?.seq ?? 0;
        const rest: SessionEvent[] = [];
        const stop = new AbortController();
        const last = (await eventsOf(session)).at(-1)?.seq ?? 0;
        for await (const event of session.events({ after: middle, signal: stop.signal })) {
          rest.push(event);
          if (event.seq >= last) break;
        }
        expect(rest[0]?.seq).toBeGreaterThan(middle);
        expect(new Set(rest.map(({ seq }) => seq)).size).toBe(rest.length);
      },
    ));
});
