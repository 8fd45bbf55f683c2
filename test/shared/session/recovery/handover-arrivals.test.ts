import { withHost } from "#host";
import { InteractiveSession, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import {
  arrive,
  eventsIn,
  expectOneStream,
  THERE,
  typesOf,
} from "../../../support/recovery/arrivals.ts";
import {
  countedTools,
  CUT,
  ended,
  endOf,
  NEVER,
  resumeOf,
  type Script,
  sessionOf,
} from "../../../support/recovery/cut-turn.ts";
import { logText } from "../../../support/support.ts";

type Options = Parameters<typeof sessionOf>[2];

describe("a session that comes back to the id that it had", () => {
  it("replaces the sealed one, with each event once, and can be used again", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [NEVER], { cwd });
      here.session.submit("one").catch(() => undefined);
      await expect.poll(() => here.provider.requests.length).toBe(1);
      await here.session.handOver({ to: { sessionId: THERE } });
      const there = await arrive(here.session, [{ text: "1" }]);
      await ended(there.session);
      await there.session.handOver({ to: { sessionId: CUT } });
      const before = await eventsIn(there.session);
      const bring = async (sessionId = CUT): Promise<InteractiveSession> =>
        InteractiveSession.import(platform, await there.session.export({ grants: true }), {
          provider: new ScriptedProvider([{ text: "2" }]),
          sessionId,
          trusted: true,
          trackFiles: false,
        });
      // While it is open here, it is somebody's.
      await expect(bring()).rejects.toMatchObject({ code: "SESSION_BUSY" });
      await here.session.shutdown();
      const back = await bring();
      expect(back.handedOverTo).toBeUndefined();
      expect((await back.submit("two")).response).toBe("2");
      expectOneStream(before, await eventsIn(back));
      await back.shutdown();
      // It went on, so the same export is no continuation any more.
      await expect(bring()).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
      await there.session.shutdown();
    }));

  it("stays sealed for anything but its own continuation", () =>
    withHost(async ({ platform, cwd }) => {
      const here = sessionOf(platform, [{ text: "1" }], { cwd });
      await here.session.submit("one");
      const early = await new Response(await here.session.export()).text();
      await here.session.handOver({ to: { sessionId: THERE } });
      const sealed = await new Response(await here.session.export()).text();
      const log = await logText(platform.storage, CUT);
      await here.session.shutdown();
      const there = await InteractiveSession.import(memoryPlatform(), textStream(sealed), {
        provider: new ScriptedProvider([]),
        sessionId: THERE,
        trusted: true,
      });
      await there.handOver({ to: { sessionId: "elsewhere" } });
      const gone = await new Response(await there.export()).text();
      await there.shutdown();
      for (const text of [early, sealed, gone, gone.slice(0, -20)]) {
        const coming = InteractiveSession.import(platform, textStream(text), {
          provider: new ScriptedProvider([]),
          sessionId: CUT,
          trusted: true,
        });
        await expect(coming).rejects.toBeInstanceOf(Error);
      }
      expect(await logText(platform.storage, CUT)).toBe(log);
    }));
});

describe("a call whose arguments contain a secret", () => {
  const KEY = `sk-ant-${"a1B2".repeat(8)}`;
  const secretCall = (name: string) => ({ id: `call-${name}`, name, args: { text: `key ${KEY}` } });
  const denied = { ask: ["put", "look"] };

  /** Hands a session over while its first answer is open; resolves to what its destination did. */
  async function moved(
    { platform, cwd }: { platform: Parameters<typeof sessionOf>[0]; cwd: string },
    answer: Script[number],
    {
      hanging = [],
      permissions = {},
      until,
      answers = [{ text: "Understood" }],
      onArrival = async () => {},
    }: {
      hanging?: string[];
      permissions?: { ask?: string[]; allow?: string[] };
      until: (session: InteractiveSession, runs: Record<string, number>) => boolean;
      answers?: Script;
      onArrival?: (session: InteractiveSession) => Promise<unknown>;
    },
  ) {
    const { tools, runs } = countedTools(hanging);
    const options: Options = { cwd, tools, permissionMode: "default", permissions };
    const here = sessionOf(platform, [answer], options);
    here.session.submit("Go").catch(() => undefined);
    await expect.poll(() => until(here.session, runs)).toBe(true);
    const before = { ...runs };
    await here.session.handOver({ to: { sessionId: THERE }, waitMs: 10 });
    const there = await arrive(here.session, answers, { ...options, cwd: undefined });
    await onArrival(there.session);
    const events = await ended(there.session);
    const requests = JSON.stringify(there.provider.requests);
    await there.session.shutdown();
    await here.session.shutdown();
    const ran = Object.fromEntries(
      Object.entries(runs).map(([k, n]) => [k, n - (before[k as "act"] ?? 0)]),
    );
    return { events, requests, ran };
  }

  it("is not asked for there, and reported to the model", () =>
    withHost(async (host) => {
      const { events, requests, ran } = await moved(
        host,
        { toolCalls: [secretCall("put")] },
        { permissions: denied, until: (session) => session.pendingPermissions().length > 0 },
      );
      expect(ran).toEqual({ look: 0, act: 0, put: 0 });
      expect(endsIn(events)).toEqual([["call-put", "secret_withheld"]]);
      expect(typesOf(events, "permission_decision")).toMatchObject([
        { decision: { allow: false } },
      ]);
      expect(requests).toContain("a secret, which stayed on the host");
      expect(endOf(events)).toMatchObject({ state: "complete", response: "Understood" });
    }));

  it("leaves the request for another call open, whose answer goes on with the turn", () =>
    withHost(async (host) => {
      const { events, ran } = await moved(
        host,
        { toolCalls: [{ id: "call-look", name: "look" }, secretCall("put")] },
        {
          permissions: denied,
          until: (session) => session.pendingPermissions().length > 0,
          onArrival: async (session) => {
            const [request, ...others] = session.pendingPermissions();
            expect([request?.tool, others]).toEqual(["look", []]);
            await session.resolvePermission(request?.id ?? "", { allow: true });
          },
        },
      );
      expect(ran).toEqual({ look: 1, act: 0, put: 0 });
      expect(endsIn(events)).toContainEqual(["call-put", "secret_withheld"]);
      expect(endOf(events)).toMatchObject({ response: "Understood" });
    }));

  it("is not run again, though it only reads", () =>
    withHost(async (host) => {
      const { events, requests, ran } = await moved(
        host,
        { toolCalls: [secretCall("look")] },
        { hanging: ["look"], permissions: { allow: ["look"] }, until: (_, { look }) => look === 1 },
      );
      expect(ran).toEqual({ look: 0, act: 0, put: 0 });
      expect(endsIn(events)).toEqual([["call-look", "unknown_outcome"]]);
      expect(resumeOf(events)).toMatchObject({ again: [], unknown: ["call-look"] });
      expect(requests).toContain("It was not repeated");
    }));
});

function textStream(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

/** The calls that have ended, and how. */
function endsIn(events: readonly SessionEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === "tool_end" ? [[event.toolCallId, event.outcome.errorCode]] : [],
  );
}
