import { withHost } from "#host";
import {
  contentText,
  createFunctionTool,
  type HooksConfig,
  type Platform,
  type Provider,
  Session,
  type SessionEvent,
  type SessionOptions,
  SessionStore,
} from "@robota/runtime";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { describe, expect, it } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";
import { turnClock } from "../../../support/time/own-time.ts";

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

/** The host's clock, as somebody or the sleep of the machine sets it. */
class Clock {
  #ahead = 0;
  readonly now = (): number => Date.now() + this.#ahead;
  jump(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
  on(platform: Platform): Platform {
    return { ...platform, now: this.now };
  }
}

/** A session whose hooks, tool and model each set the clock while they work. */
function jumping(
  platform: Platform,
  clock: Clock,
  options: Partial<SessionOptions> = {},
): { session: Session; events: SessionEvent[] } {
  const set = createFunctionTool("set", "Sets the clock", { type: "object" }, ({ by }) => {
    clock.jump(Number(by));
    return "set";
  });
  const jump = (by: number) => async (): Promise<void> => clock.jump(by);
  const hooks: HooksConfig = {
    PreToolUse: [{ hooks: [{ type: "function", name: "back", run: jump(-HOUR), timeout: 30 }] }],
    PostToolUse: [{ hooks: [{ type: "function", name: "on", run: jump(YEAR), timeout: 30 }] }],
  };
  const answer = (by: number, text: string): ScriptedReply => {
    return () => {
      clock.jump(by);
      return { deltas: [text, "."] };
    };
  };
  const provider = new ScriptedProvider([
    { toolCalls: [{ id: "1", name: "set", args: { by: -HOUR } }, echoCall("x", "2")] },
    { toolCalls: [{ id: "3", name: "set", args: { by: YEAR } }] },
    answer(-HOUR, "One"),
    answer(YEAR, "Two"),
    answer(-2 * YEAR, "Three"),
  ]);
  const session = new Session({
    platform: clock.on(platform),
    provider,
    tools: [set, echo],
    hooks,
    permissionMode: "bypassPermissions",
    sessionId: "s",
    providerTimeout: 30_000,
    progressTimeout: 30_000,
    callTimeout: 30_000,
    ...options,
  });
  const events: SessionEvent[] = [];
  session.subscribe((event) => void events.push(event));
  return { session, events };
}

const durationsIn = (events: readonly SessionEvent[]): number[] =>
  events.flatMap((event) => {
    if (event.type === "hook_run") return [event.durationMs];
    return event.type === "tool_end" ? [event.outcome.durationMs] : [];
  });

describe("a clock that is set back an hour or ahead by a year", () => {
  it("ends nothing early in a turn, and makes no duration negative or too long", async () => {
    const clock = new Clock();
    const { session, events } = jumping(memoryPlatform(), clock);
    expect(await session.run("go")).toBe("One.");
    const ends = events.flatMap((event) => (event.type === "tool_end" ? [event] : []));
    expect(ends.map(({ toolCallId, outcome }) => [toolCallId, outcome.success])).toEqual([
      ["1", true],
      ["2", true],
      ["3", true],
    ]);
    const durations = durationsIn(events);
    expect(durations).toHaveLength(9);
    for (const duration of durations) {
      expect(duration).toBeGreaterThanOrEqual(0);
      expect(duration).toBeLessThan(30_000);
    }
    const outcomes = events.flatMap((event) => (event.type === "hook_run" ? [event.outcome] : []));
    expect(new Set(outcomes)).toEqual(new Set(["allowed"]));
    await session.shutdown();
  });

  it("does not affect the order: events are numbered, and the session loads and continues", async () => {
    const clock = new Clock();
    const storage = new MemoryStorage();
    const platform = memoryPlatform({ storage });
    const { session, events } = jumping(platform, clock);
    await session.run("First");
    clock.jump(-3 * YEAR);
    await session.run("Second");
    const said = session.getHistory().map(({ role, content }) => [role, contentText(content)]);
    await session.shutdown();
    const times = events.map(({ time }) => time);
    expect(times).not.toEqual(times.toSorted((a, b) => a - b));
    // A transient event has the number of the last stored one.
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));

    clock.jump(-HOUR);
    const provider = new ScriptedProvider([{ text: "Three." }]);
    const again = new Session({ platform: clock.on(platform), provider, sessionId: "s" });
    await again.open();
    expect(again.getHistory().map(({ role, content }) => [role, contentText(content)])).toEqual(
      said,
    );
    expect(await again.run("Third")).toBe("Three.");
    const kept: number[] = [];
    for await (const event of again.events()) {
      kept.push(event.seq);
      if (event.type === "turn_end" && event.response === "Three.") break;
    }
    expect(kept).toEqual(kept.map((_, index) => index + 1));
    await again.shutdown();
    const stored = await new SessionStore(storage).load("s");
    expect(stored?.messages.map(({ content }) => contentText(content)).slice(-4)).toEqual([
      "Second",
      "Two.",
      "Third",
      "Three.",
    ]);
  });

  it("does not keep a timed-out call waiting", async () => {
    const clock = new Clock();
    for (const by of [-HOUR, YEAR]) {
      const silent: Provider = {
        name: "silent",
        model: "silent-1",
        chat: () => Promise.reject(new Error("not used")),
        async *chatStream(_messages, { signal } = {}) {
          yield { type: "text_delta", delta: "So" };
          clock.jump(by);
          await new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          });
        },
      };
      const { session } = jumping(memoryPlatform(), clock, {
        provider: silent,
        providerTimeout: 60,
      });
      using turns = turnClock();
      await expect(session.run("go")).rejects.toMatchObject({ code: "NETWORK_ERROR" });
      expect(turns.ms()).toBeLessThan(5000);
      await session.shutdown();
    }
  });

  it("never loses a held session on this host, and fences off former holders", () =>
    withHost(async ({ platform, cwd }) => {
      const clock = new Clock();
      const { session } = jumping(platform, clock, { cwd });
      await session.run("First");
      const other = (takeOver: boolean, text: string): Session => {
        return new Session({
          platform: clock.on(platform),
          provider: new ScriptedProvider([{ text }]),
          cwd,
          sessionId: "s",
          takeOver,
        });
      };
      clock.jump(YEAR);
      const waiting = other(false, "no").open();
      clock.jump(-2 * YEAR);
      await expect(waiting).rejects.toMatchObject({ code: "SESSION_BUSY" });
      expect(await session.run("Second")).toBe("Two.");
      clock.jump(-HOUR);
      const taker = other(true, "Mine.");
      expect(await taker.run("Third")).toBe("Mine.");
      await expect(session.run("Lost")).rejects.toMatchObject({ code: "FENCED" });
      await session.shutdown();
      await taker.shutdown();
      clock.jump(-HOUR);
      const last = other(false, "Last.");
      expect(await last.run("Fourth")).toBe("Last.");
      expect(last.getHistory().filter(({ role }) => role === "user")).toHaveLength(4);
      await last.shutdown();
    }));
});
