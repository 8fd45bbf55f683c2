import type { SessionEvent } from "@robota/runtime";
import type { ScriptedReply } from "@robota/runtime/testing";
import {
  type HttpTransportOptions,
  RemoteSession,
  type RemoteSessionOptions,
  webSocketTransport,
  type WebSocketTransport,
  type WebSocketTransportOptions,
} from "@robota/runtime/transports";
import { describe, expect, it } from "vitest";
import { httpFixture, type HttpFixture } from "../../support/network/http-sessions.ts";
import { socketNetwork, type SocketNetwork } from "../../support/network/socket-pair.ts";
import { echo, echoCall } from "../../support/support.ts";

interface Fixture extends HttpFixture, Omit<SocketNetwork, "wake"> {
  sockets: SocketNetwork["sockets"];
  connect: (options?: Partial<RemoteSessionOptions>) => Promise<RemoteSession>;
  /** The host sleeps, and its sockets are found by the next frame. */
  sleep: () => void;
  /** Opens a socket by hand; resolves to it and to its frames. */
  raw: (id: string, token?: string) => Promise<{ send: (frame: unknown) => void; frames: Frame[] }>;
}

interface Frame extends Record<string, unknown> {
  type: string;
}

function sockets(
  script: readonly ScriptedReply[] = [],
  {
    limits,
    isAllowed,
    ...options
  }: Pick<WebSocketTransportOptions, "limits" | "isAllowed"> & Partial<HttpTransportOptions> = {},
): Fixture {
  const http = httpFixture(script, { session: { tools: [echo], queueLimit: 3 }, ...options });
  const { fetchAuthorised: fetch } = http.transport;
  const make = (): WebSocketTransport =>
    webSocketTransport({
      fetch,
      open: async ({ sessionId }) => network.sessions.get(sessionId),
      limits,
      isAllowed,
      onError: (error) => http.errors.push(error),
    });
  const network = socketNetwork(http.transport, make());
  const address = {
    url: "http://localhost",
    token: "ann-secret",
    fetch: (input: RequestInfo | URL, init?: RequestInit) =>
      Promise.resolve(http.transport.fetch(new Request(input, init))),
    transport: "websocket" as const,
    openSocket: network.open,
    firstDelayMs: 1,
    maxDelayMs: 20,
  };
  return {
    ...http,
    ...network,
    sleep: () => network.wake(make()),
    async connect(given = {}) {
      if (given.sessionId === undefined) return RemoteSession.create({ ...address, ...given });
      const session = new RemoteSession({ ...address, ...given, sessionId: given.sessionId });
      await session.ready;
      return session;
    },
    async raw(id, token = "YW5uLXNlY3JldA") {
      const protocols = ["robota.v1", `robota.bearer.${token}`];
      const socket = network.open(`ws://localhost/v1/sessions/${id}/socket`, protocols);
      const frames: Frame[] = [];
      socket.addEventListener("message", ({ data }: MessageEvent) => {
        frames.push(JSON.parse(String(data)) as Frame);
      });
      await expect.poll(() => frames.length).toBe(1);
      return {
        frames,
        send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
      };
    },
  };
}

function follow(session: RemoteSession): () => number[] {
  const seqs: number[] = [];
  const isStored = ({ type }: SessionEvent): boolean =>
    type !== "context_update" && type !== "tool_output";
  void (async () => {
    for await (const event of session.events()) if (isStored(event)) seqs.push(event.seq);
  })();
  return () => seqs;
}

const isEnd = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "type" in event && event.type === "turn_end";

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("a session over a WebSocket", () => {
  it("S-288: runs a turn with its approval, and what else a session does", async () => {
    const { connect } = sockets([{ toolCalls: [echoCall("x")] }, { text: "Done" }, { text: "2" }]);
    const session = await connect();
    const seqs = follow(session);
    const turn = session.submit("go");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    await session.resolvePermission(session.pendingPermissions()[0]?.id ?? "", true);
    expect((await turn).response).toBe("Done");
    await session.setName("Named");
    expect(session.getName()).toBe("Named");
    expect(await session.completeCommand("/ren")).toMatchObject([{ value: "/rename" }]);
    await expect(session.resolvePermission("nothing", true)).rejects.toMatchObject({
      name: "SessionError",
      code: "NOT_FOUND",
    });
    const fork = await session.fork();
    expect((await fork.submit("2")).response).toBe("2");
    await expect.poll(() => seqs().at(-1)).toBe(session.lastSeq);
    expect(seqs()).toEqual(upTo(session.lastSeq));
    await fork.shutdown();
    await session.shutdown();
  });

  it("R-33: gives each event once and in order, cut again and again, and to two clients", async () => {
    const deltas = Array.from({ length: 500 }, (_, index) => String(index % 10));
    const { connect, cut, sockets: opened } = sockets([{ deltas, delayMs: 5 }]);
    const [one, first] = [await connect(), { words: 0 }];
    const two = await connect({ sessionId: one.sessionId });
    const seen = [follow(one), follow(two)];
    one.on("text_delta", () => {
      first.words += 1;
      if (first.words % 10 === 0) cut();
    });
    expect((await one.submit("count")).response).toBe(deltas.join(""));
    for (const seqs of seen) {
      await expect.poll(() => seqs().at(-1)).toBe(one.lastSeq);
      expect(seqs()).toEqual(upTo(one.lastSeq));
    }
    expect(opened.length).toBeGreaterThan(50);
    await one.shutdown();
    await two.shutdown();
  });

  it("runs a prompt once that was cut off from its answer", async () => {
    const { connect, cut, provider } = sockets([{ text: "once" }]);
    const session = await connect();
    session.on("event", ({ type }) => type === "turn_start" && cut());
    expect((await session.submit("go")).response).toBe("once");
    expect(provider.requests).toHaveLength(1);
    await session.shutdown();
  });

  it("continues after a sleep of its host with nothing but what is kept with the socket", async () => {
    const { connect, sleep, sockets: opened } = sockets([{ text: "one" }, { text: "two" }]);
    const session = await connect();
    const seqs = follow(session);
    await session.submit("1");
    sleep();
    expect((await session.submit("2")).response).toBe("two");
    await expect.poll(() => seqs().at(-1)).toBe(session.lastSeq);
    expect(seqs()).toEqual(upTo(session.lastSeq));
    expect(opened).toHaveLength(1);
    await session.shutdown();
  });

  it("tells why it can't be opened", async () => {
    const { connect } = sockets();
    await expect(connect({ sessionId: "nobody" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const session = await connect();
    const wrong = connect({ sessionId: session.sessionId, token: "guess" });
    await expect(wrong).rejects.toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    await session.shutdown();
  });
});

describe("T-31: a socket that takes too much", () => {
  it("R-32: of a reader that never reads, holds a window and is closed, and the turn goes on", async () => {
    const deltas = Array.from({ length: 2_000 }, () => "word ");
    const { newSession, raw, call, closed } = sockets([{ deltas }], {
      limits: { window: 10_000, slowMs: 50 },
    });
    const id = await newSession();
    const { send, frames } = await raw(id);
    send({ v: 1, type: "subscribe", after: 0 });
    await call(`/v1/sessions/${id}/messages`, { body: { text: "count" } });
    await expect.poll(() => closed).toEqual([4408]);
    const sent = frames.filter(({ type }) => type === "event");
    expect(JSON.stringify(sent).length).toBeLessThan(12_000);
    await expect
      .poll(async () => (await call(`/v1/sessions/${id}`)).json())
      .toMatchObject({ state: "idle" });
  });

  it("closes on frames that are too many, too large, or none", async () => {
    const { newSession, raw, closed } = sockets([], {
      limits: { framesPerSecond: 5, frameBytes: 1_000 },
    });
    const id = await newSession();
    const flood = await raw(id);
    for (let count = 0; count < 30; count += 1) flood.send({ v: 1, type: "ping" });
    await expect.poll(() => closed).toEqual([4429]);
    (await raw(id)).send({ v: 1, type: "ping", more: "x".repeat(1_000) });
    await expect.poll(() => closed).toEqual([4429, 1009]);
    for (const frame of ["no JSON", { v: 2, type: "ping" }, { v: 1, type: "other" }])
      (await raw(id)).send(frame);
    await expect.poll(() => closed).toEqual([4429, 1009, 4400, 4400, 4400]);
  });

  it("answers a flood of requests with what is too much, and lets no path leave the session", async () => {
    const { newSession, raw } = sockets([{ text: "never", delayMs: Infinity }], {
      limits: { requests: 2 },
    });
    const [id, other] = [await newSession(), await newSession()];
    const { send, frames } = await raw(id);
    const statusOf = (request: string): unknown =>
      frames.find(({ type, id: of }) => type === "response" && of === request)?.["status"];
    for (const name of ["1", "2", "3"])
      send({ v: 1, type: "request", id: name, method: "GET", path: "history" });
    await expect.poll(() => ["1", "2", "3"].map(statusOf)).toEqual([200, 200, 429]);
    for (const path of [
      `../${other}`,
      "events",
      "log",
      "x/../../../../healthz",
      "//evil.example/",
    ]) {
      send({ v: 1, type: "request", id: path, method: "GET", path });
      await expect.poll(() => statusOf(path), { message: path }).toBe(404);
    }
  });

  it("sends a socket nothing more whose token was revoked, and closes it", async () => {
    let isAllowed = true;
    const script = [{ text: "one" }, { text: "two" }];
    const { newSession, raw, closed, sessions } = sockets(script, { isAllowed: () => isAllowed });
    const id = await newSession();
    const [reader, sender] = [await raw(id), await raw(id)];
    reader.send({ v: 1, type: "subscribe", after: 0 });
    await sessions.get(id)?.submit("1");
    const ends = () => reader.frames.filter(({ event }) => isEnd(event)).length;
    await expect.poll(ends).toBe(1);
    isAllowed = false;
    await sessions.get(id)?.submit("2");
    await expect.poll(() => closed).toHaveLength(1);
    expect(ends()).toBe(1);
    expect(JSON.stringify(reader.frames)).not.toContain("two");
    expect(reader.frames.at(-1)).toMatchObject({
      type: "problem",
      problem: { status: 401, code: "UNAUTHORIZED" },
    });
    sender.send({ v: 1, type: "request", id: "1", method: "GET", path: "messages" });
    await expect.poll(() => closed).toHaveLength(2);
    expect(sender.frames.at(-1)).toMatchObject({ type: "response", status: 401 });
  });

  it("does in the name of its token only what the token is for", async () => {
    const { newSession, raw } = sockets([{ text: "no" }], {
      tokens: { ann: ["ann-secret", { token: "look", scopes: ["read"] }] },
    });
    const { send, frames } = await raw(await newSession(), "bG9vaw");
    const body = { text: "go" };
    send({ v: 1, type: "request", id: "1", method: "POST", path: "messages", body });
    await expect
      .poll(() => frames.at(-1))
      .toMatchObject({ type: "response", status: 403, body: { code: "INSUFFICIENT_SCOPE" } });
  });
});
