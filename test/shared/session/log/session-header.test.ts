import { withHost } from "#host";
import {
  InteractiveSession,
  listSessions,
  type Platform,
  Session,
  type Storage,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";

const HEADER = "sessions/s";

/** Notes each header that is stored; another view of a storage sees what another process would. */
function noting(storage: Storage): { storage: Storage; headers: Record<string, unknown>[] } {
  const headers: Record<string, unknown>[] = [];
  const set: Storage["set"] = (key, value, options) => {
    if (key === HEADER) headers.push(JSON.parse(new TextDecoder().decode(value)));
    return storage.set(key, value, options);
  };
  const noted = new Proxy(storage, {
    get(target, name) {
      if (name === "set") return set;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { storage: noted, headers };
}

/** A session on a host, with the headers that it stores. */
function opened({ platform, cwd }: { platform: Platform; cwd: string }, turns: number) {
  const { storage, headers } = noting(platform.storage);
  const provider = answers(turns);
  const session = new Session({
    platform: { ...platform, storage },
    cwd,
    provider,
    sessionId: "s",
  });
  return { session, headers };
}

const answers = (count: number) =>
  new ScriptedProvider(Array.from({ length: count }, (_, index) => ({ text: `Answer ${index}` })));

it("stores one header for turns that follow each other at once, and the last state with its end", () =>
  withHost(async (host) => {
    const { session, headers } = opened(host, 20);
    for (let turn = 0; turn < 20; turn++) await session.run(`Question ${turn}`);
    // Fewer than half of the two a turn, however slow the host is.
    expect(headers.length).toBeLessThan(20);
    await session.shutdown();
    expect(headers.at(-1)).toMatchObject({ id: "s", messageCount: 40, state: "idle" });
  }));

it("shows a list in the same process what happened before it looked", () =>
  withHost(async ({ platform, cwd }) => {
    const session = new InteractiveSession({ platform, cwd, provider: answers(3), sessionId: "s" });
    for (const messageCount of [2, 4, 6]) {
      await session.submit("A question");
      expect(await listSessions(platform.storage)).toMatchObject([{ messageCount, state: "idle" }]);
    }
    await session.shutdown();
  }));

it("shows another process the end of a turn without another turn or an end of the session", () =>
  withHost(async (host) => {
    const { session, headers } = opened(host, 2);
    await session.run("A question");
    await session.run("Another");
    await expect.poll(() => headers.at(-1)).toMatchObject({ messageCount: 4, state: "idle" });
    await session.shutdown();
  }));

it("leaves the header alone once another holder has the session", () =>
  withHost(async (host) => {
    const { platform, cwd } = host;
    const { session: first, headers } = opened(host, 2);
    await first.run("A question");
    await first.run("Another");
    const taker = new Session({
      platform,
      cwd,
      provider: answers(1),
      sessionId: "s",
      takeOver: true,
    });
    await taker.run("A third");
    await expect(first.run("Lost")).rejects.toMatchObject({ code: "FENCED" });
    const before = headers.length;
    await first.shutdown();
    expect(headers).toHaveLength(before);
    expect(await listSessions(platform.storage)).toMatchObject([{ messageCount: 6 }]);
    await taker.shutdown();
  }));
