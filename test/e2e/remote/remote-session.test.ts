import type { SessionEvent } from "@robota/runtime";
import { RemoteSession, type RemoteSessionOptions } from "@robota/runtime/transports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWorkerd, type Workerd } from "../workerd.ts";

let workerd: Workerd;
beforeAll(async () => {
  workerd = await startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: {
      API_TOKENS: JSON.stringify({ ann: "ann-secret", bob: "bob-secret" }),
      REQUESTS_PER_MINUTE: "100000",
    },
  });
});
afterAll(() => workerd[Symbol.asyncDispose]());

/** A real network that can be cut. */
function network(transport: "http" | "websocket") {
  const open = new Set<() => void>();
  let count = 0;
  const options = {
    url: workerd.url,
    token: "ann-secret",
    transport,
    firstDelayMs: 1,
    maxDelayMs: 50,
    fetch: (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init);
      if (!request.url.endsWith("/events")) return fetch(request);
      count += 1;
      const cut = new AbortController();
      open.add(() => cut.abort());
      return fetch(new Request(request, { signal: AbortSignal.any([request.signal, cut.signal]) }));
    },
    openSocket: (url: string, protocols: string[]): WebSocket => {
      count += 1;
      const socket = new WebSocket(url, protocols);
      open.add(() => socket.close());
      return socket;
    },
  };
  return {
    options,
    connections: () => count,
    /** Returns false where nothing was connected: words of a connection that was cut may still come. */
    cut: (): boolean => {
      const wasOpen = open.size > 0;
      for (const end of open) end();
      open.clear();
      return wasOpen;
    },
  };
}

async function connect(
  options: ReturnType<typeof network>["options"] & Partial<RemoteSessionOptions>,
): Promise<RemoteSession> {
  if (options.sessionId === undefined) return RemoteSession.create(options);
  const session = new RemoteSession({ ...options, sessionId: options.sessionId });
  await session.ready;
  return session;
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

describe.each(["http", "websocket"] as const)("a session in a real worker over %s", (transport) => {
  it("R-33: gives two clients each event once and in order, cut 50 times in mid-stream", async () => {
    const { options, cut, connections } = network(transport);
    const one = await connect(options);
    const two = await connect({ ...options, sessionId: one.sessionId });
    const seen = [follow(one), follow(two)];
    let words = 0;
    let cuts = 0;
    one.on("text_delta", () => {
      words += 1;
      if (words % 4 === 0 && cuts < 50 && cut()) cuts += 1;
    });
    // A turn is often over before a slow client is connected again.
    for (let turn = 0; turn < 500 && cuts < 50; turn += 1)
      expect((await one.submit("long 400")).state).toBe("complete");
    expect(cuts).toBe(50);
    for (const seqs of seen) {
      await expect.poll(() => seqs().at(-1)).toBe(one.lastSeq);
      expect(seqs()).toEqual(Array.from({ length: one.lastSeq }, (_, index) => index + 1));
    }
    expect(two.getFullHistory()).toEqual(one.getFullHistory());
    expect(connections()).toBeGreaterThan(50);
    await one.shutdown();
    await two.shutdown();
  });

  it("R-34: keeps an approval open while nobody is connected, and goes on with its answer", async () => {
    const { options } = network(transport);
    const first = await connect(options);
    const turn = first.submit("write note.txt: hello");
    turn.catch(() => undefined);
    await expect.poll(() => first.pendingPermissions()).toHaveLength(1);
    await first.shutdown();
    const second = await connect({ ...options, sessionId: first.sessionId });
    expect(second.pendingPermissions()).toMatchObject([{ tool: "Write" }]);
    const ended = Promise.withResolvers<string>();
    second.on("complete", ({ state }) => ended.resolve(state));
    await second.resolvePermission(second.pendingPermissions()[0]?.id ?? "", {
      allow: true,
      reason: "fine",
    });
    expect(await ended.promise).toBe("complete");
    await second.shutdown();
  });

  it("T-29: lets nobody else in, and says so", async () => {
    const { options } = network(transport);
    const mine = await connect(options);
    const foreign = { ...options, sessionId: mine.sessionId };
    await expect(connect({ ...foreign, token: "bob-secret" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(connect({ ...foreign, token: "guess" })).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    await mine.shutdown();
  });
});

it("goes on over a socket whose object was evicted while nothing happened", async () => {
  const { options, connections } = network("websocket");
  const session = await connect(options);
  const seqs = follow(session);
  let resumed = 0;
  session.on("event", ({ type }) => void (resumed += type === "session_resume" ? 1 : 0));
  // workerd evicts an object after ten seconds without a frame; a turn of one that was opened again says so.
  const turn = async (): Promise<number> => {
    expect((await session.submit("help")).state).toBe("complete");
    return resumed;
  };
  await expect.poll(turn, { interval: 12_000 }).toBeGreaterThan(0);
  await expect.poll(() => seqs().at(-1)).toBe(session.lastSeq);
  expect(connections()).toBe(1);
  await session.shutdown();
});

it("R-32: holds no more than a window for a socket that never acknowledges, and the turn goes on", async () => {
  const { options } = network("http");
  const session = await connect(options);
  const token = btoa("ann-secret").replaceAll("=", "");
  const socket = new WebSocket(
    `${workerd.url.replace("http", "ws")}/v1/sessions/${session.sessionId}/socket`,
    ["robota.v1", `robota.bearer.${token}`],
  );
  let received = 0;
  socket.addEventListener("message", ({ data }) => {
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === "hello") socket.send(JSON.stringify({ v: 1, type: "subscribe", after: 0 }));
    if (type === "event") received += String(data).length;
  });
  for (let turn = 0; turn < 40 && received < 256 * 1024; turn += 1)
    expect((await session.submit("long 2000")).state).toBe("complete");
  expect((await session.submit("long 2000")).state).toBe("complete");
  expect((await session.submit("list")).state).toBe("complete");
  expect(received).toBeLessThan(300 * 1024);
  socket.close();
  await session.shutdown();
});
