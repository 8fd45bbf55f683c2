import { contentText, type SessionEvent, StorageError } from "@robota/runtime";
import type { ScriptedReply } from "@robota/runtime/testing";
import { RemoteSession } from "@robota/runtime/transports";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { fullStorage } from "../../support/recovery/full-storage.ts";
import { eventsUntil, httpFixture } from "../../support/network/http-sessions.ts";

const WORDS = Array.from({ length: 400 }, (_, index) => `word${index} `);
const ENDLESS: ScriptedReply = { deltas: WORDS, delayMs: 10 };

/** A server whose storage can get full. */
function server(script: readonly ScriptedReply[]) {
  const full = fullStorage(memoryPlatform({ files: { "/project/": "" } }));
  const http = httpFixture(script, { platform: full.platform, session: { queueLimit: 5 } });
  const connect = async (sessionId?: string): Promise<RemoteSession> => {
    const address = {
      url: "http://localhost",
      token: "ann-secret",
      fetch: async (url: RequestInfo | URL, init?: RequestInit) =>
        http.transport.fetch(new Request(url, init)),
      firstDelayMs: 1,
      maxDelayMs: 20,
    };
    if (sessionId === undefined) return RemoteSession.create(address);
    const session = new RemoteSession({ ...address, sessionId });
    await session.ready;
    return session;
  };
  return { full, connect, ...http };
}

function follow(session: RemoteSession): SessionEvent[] {
  const events: SessionEvent[] = [];
  session.on("event", (event) => {
    if (event.type !== "context_update" && event.type !== "tool_output") events.push(event);
  });
  return events;
}

describe("a server whose storage is full", () => {
  it("answers a message with 507, runs nothing, and runs it once when it is sent again with its key", async () => {
    const { full, call, newSession, provider } = server([{ text: "one" }, { text: "two" }]);
    const id = await newSession();
    const path = `/v1/sessions/${id}/messages`;
    const send = (): Promise<Response> =>
      call(path, { body: { text: "hi" }, headers: { "idempotency-key": "k" } });
    full.isFull = () => true;
    for (let time = 0; time < 2; time++) {
      const refused = await send();
      expect(refused.status).toBe(507);
      expect(refused.headers.get("content-type")).toBe("application/problem+json");
      expect(await refused.json()).toMatchObject({
        title: "Insufficient Storage",
        code: "FULL",
        hint: expect.stringContaining("room"),
      });
    }
    expect(provider.requests).toHaveLength(0);

    full.isFull = () => false;
    const accepted = (await (await send()).json()) as { turnId: string };
    await eventsUntil(await call(`/v1/sessions/${id}/events`), "turn_end");
    expect(await (await send()).json()).toMatchObject({ turnId: accepted.turnId });
    expect(provider.requests).toHaveLength(1);
  });

  it("ends an answer for all its clients, lets others look, and goes on where one resumes the queue", async () => {
    const { full, connect } = server([ENDLESS, { text: "queued" }]);
    const one = await connect();
    const two = await connect(one.sessionId);
    const seen = [follow(one), follow(two)];
    const first = one.submit("one");
    await expect.poll(() => seen[1]?.some(({ type }) => type === "text_delta")).toBe(true);
    const second = two.submit("two");
    await expect.poll(() => one.getQueue()).toEqual(["two"]);
    full.isFull = () => true;
    expect(await first).toMatchObject({ state: "failed", error: { code: "FULL" } });
    const refused = await two.submit("three").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StorageError);
    expect(refused).toMatchObject({ code: "FULL", hint: expect.stringContaining("room") });

    // A client that comes now waits for nothing that was refused.
    const late = await connect(one.sessionId);
    const answers = [one, two, late].map((client) =>
      contentText(client.getMessages().at(-1)?.content ?? ""),
    );
    expect(answers[0]).toMatch(/^word0 word1 /);
    expect(new Set(answers).size).toBe(1);
    await late.shutdown();

    full.isFull = () => false;
    await one.queue.resume();
    expect((await second).response).toBe("queued");
    for (const events of seen) {
      await expect.poll(() => events.at(-1)?.seq).toBe(two.lastSeq);
      const numbers = events.map(({ seq }) => seq);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }
    for (const client of [one, two]) await client.shutdown();
  });
});
