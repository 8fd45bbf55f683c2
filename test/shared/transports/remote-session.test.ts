import { SessionError, type SessionEvent, ValidationError } from "@robota/runtime";
import type { Attachment } from "@robota/runtime/sessions";
import { HttpProblem, RemoteError, type RemoteSession } from "@robota/runtime/transports";
import { lastTurn, sessionStore } from "@robota/react/store";
import { describe, expect, it } from "vitest";
import { faultyFetch } from "../../support/network/faulty-fetch.ts";
import { remote } from "../../support/network/remote-sessions.ts";
import { DOT_PNG } from "../../support/protocols/files.ts";
import { echoCall } from "../../support/support.ts";

/** Collects all events of a session from now on. */
function follow(session: RemoteSession): { events: SessionEvent[]; seqs: () => number[] } {
  const events: SessionEvent[] = [];
  void (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  const isStored = ({ type }: SessionEvent): boolean =>
    type !== "context_update" && type !== "tool_output";
  return { events, seqs: () => events.filter(isStored).map(({ seq }) => seq) };
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

describe("a session on a server", () => {
  it("runs a turn, with its approval, its events and its history", async () => {
    const { connect, log } = remote([
      { text: "Let me see.", toolCalls: [echoCall("x")] },
      { deltas: ["Do", "ne"] },
    ]);
    const session = await connect({ name: "Far away" });
    const names: string[] = [];
    for (const name of ["thinking", "tool_start", "tool_end", "complete"] as const)
      session.on(name, () => names.push(name));
    const words: string[] = [];
    session.on("text_delta", (delta) => words.push(delta));
    const turn = session.submit("go", "Go on");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    expect(session.isExecuting()).toBe(true);
    const [request] = session.pendingPermissions();
    expect(request).toMatchObject({ tool: "echo", args: { text: "x" } });
    await session.resolvePermission(request?.id ?? "", { allow: true, scope: "session" });
    expect(session.pendingPermissions()).toEqual([]);
    const result = await turn;
    expect(result).toMatchObject({
      state: "complete",
      response: "Done",
      toolSummaries: [{ toolName: "echo", result: "success" }],
    });
    expect(result.contextState.usedTokens).toBeGreaterThan(0);
    expect(session.isExecuting()).toBe(false);
    expect(names).toEqual(["thinking", "tool_start", "tool_end", "thinking", "complete"]);
    expect(words.join("")).toBe("Let me see.\n\nDone");
    expect(session.getName()).toBe("Far away");
    expect(session.getModel()).toEqual({ provider: "scripted", model: "scripted" });
    expect(session.getMessages().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(session.getMessages()[0]?.timestamp).toBeInstanceOf(Date);
    expect(JSON.stringify(session.getFullHistory())).toBe(await log(session));
    await session.shutdown();
  });

  it("has the past of a session, and tells none of it as if it happened now", async () => {
    const { connect } = remote([{ text: "one" }, { text: "two" }]);
    const first = await connect();
    await first.submit("1");
    const told: string[] = [];
    const second = await connect({ sessionId: first.sessionId });
    second.on("complete", ({ response }) => told.push(response));
    expect(second.getMessages()).toEqual(first.getMessages());
    const seen = follow(second);
    await first.submit("2");
    await expect.poll(() => told).toEqual(["two"]);
    await expect.poll(() => seen.seqs().at(-1)).toBe(second.lastSeq);
    expect(seen.seqs()).toEqual(upTo(second.lastSeq));
    expect(second.getFullHistory()).toEqual(first.getFullHistory());
    await first.shutdown();
    await second.shutdown();
  });

  it("sends a message that is only attachments, and its session is listed by the first one's name", async () => {
    const { call, connect, provider } = remote([{ text: "A dot." }, { text: "Two." }]);
    const session = await connect();
    const picture: Attachment = {
      type: "image",
      mediaType: "image/png",
      data: DOT_PNG,
      name: "shot.png",
    };
    await session.submit("", { attachments: [picture] });
    const parts = provider.requests[0]?.messages.at(-1)?.content;
    expect(parts).toContainEqual({
      type: "image",
      mediaType: "image/png",
      data: DOT_PNG,
      name: "shot.png",
    });
    const listed = (await (await call("/v1/sessions")).json()) as { sessions: unknown[] };
    expect(listed.sessions).toMatchObject([{ id: session.sessionId, preview: "shot.png" }]);
    await expect(session.submit("")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await session.shutdown();
  });

  it("renames, changes the mode, runs and completes commands, rewinds, forks and exports", async () => {
    const { connect } = remote([{ text: "one" }, { text: "in the fork" }]);
    const session = await connect();
    await session.submit("1");
    await session.setName("Renamed");
    await session.setPermissionMode("plan");
    expect([session.getName(), session.getPermissionMode()]).toEqual(["Renamed", "plan"]);
    await expect(session.setPermissionMode("bypassPermissions")).rejects.toMatchObject({
      code: "MODE_NOT_ALLOWED",
      hint: expect.stringContaining("plan") as string,
    });
    expect(session.listCommands().map(({ name }) => name)).toContain("rename");
    expect(await session.getCommands()).toContainEqual(
      expect.objectContaining({ name: "compact", source: "builtin", argumentHint: "[focus]" }),
    );
    expect(await session.completeCommand("/ren")).toMatchObject([{ value: "/rename", start: 0 }]);
    expect(await session.executeCommand("/rename", "Again")).toMatchObject({ success: true });
    expect(session.getName()).toBe("Again");
    expect(await session.executeCommand("nothing")).toBeNull();
    const lines = await new Response(await session.export()).text();
    expect(lines.trim().split("\n").length).toBeGreaterThan(3);
    const [checkpoint] = session.checkpoints();
    const fork = await session.fork();
    expect(fork.getMessages()).toHaveLength(2);
    expect(await session.rewind(checkpoint?.id ?? "", "conversation")).toMatchObject({
      what: "conversation",
    });
    expect(session.getMessages()).toEqual([]);
    expect((await fork.submit("2")).response).toBe("in the fork");
    await fork.shutdown();
    await session.shutdown();
  });

  it("throws what the session itself throws", async () => {
    const { connect } = remote([{ toolCalls: [echoCall("x")] }, { text: "no" }], 0);
    const session = await connect();
    const turn = session.submit("a");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const full: unknown = await session.submit("b").catch((error: unknown) => error);
    expect(full).toBeInstanceOf(SessionError);
    expect(full).toMatchObject({
      code: "QUEUE_FULL",
      hint: "Wait for the running turn, cancel the queue, or steer the running turn.",
    });
    const id = session.pendingPermissions()[0]?.id ?? "";
    for (const updatedArgs of [{}, { text: "y" }, { answer: { text: "y" } }])
      await expect(session.resolvePermission(id, { allow: true, updatedArgs })).rejects.toThrow(
        ValidationError,
      );
    await session.resolvePermission(id, { allow: false, reason: "not now" });
    await turn;
    const again: unknown = await session.resolvePermission(id, true).catch((error) => error);
    expect(again).toBeInstanceOf(SessionError);
    expect(codeOf(again)).toBe("ALREADY_ANSWERED");
    await session.shutdown();
    await expect(session.submit("c")).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("asks a handler for what waits already, and for what comes", async () => {
    const { connect } = remote([
      { toolCalls: [echoCall("x")] },
      { toolCalls: [echoCall("y")] },
      { text: "both" },
    ]);
    const first = await connect();
    const turn = first.submit("go");
    await expect.poll(() => first.pendingPermissions()).toHaveLength(1);
    const asked: unknown[] = [];
    const second = await connect({
      sessionId: first.sessionId,
      permissionHandler: async (_tool, { text }) => {
        asked.push(text);
        return true;
      },
    });
    expect((await turn).response).toBe("both");
    expect(asked).toEqual(["x", "y"]);
    await first.shutdown();
    await second.shutdown();
  });

  it("is drawn by the stores of the React package", async () => {
    const { connect } = remote([{ toolCalls: [echoCall("x")] }, { text: "Done" }]);
    const session = await connect();
    const store = sessionStore(session);
    const leave = store.subscribe(() => undefined);
    const turn = session.submit("go");
    await expect.poll(() => store.get().requests).toHaveLength(1);
    await session.resolvePermission(store.get().requests[0]?.id ?? "", true);
    await turn;
    await expect
      .poll(() => lastTurn(store.get()))
      .toMatchObject({
        state: "complete",
        items: [{ tool: "echo", phase: "done" }, { text: "Done" }],
      });
    leave();
    await session.shutdown();
  });
});

describe("a connection that breaks", () => {
  it("R-33: gives each event once and in order, cut 50 times in the middle of turns", async () => {
    const deltas = Array.from({ length: 600 }, (_, index) => String(index % 10));
    const { connect, cutEvery, streams } = remote([{ deltas }, { deltas }]);
    const session = await connect();
    const seen = follow(session);
    cutEvery(2_500);
    await session.submit("go");
    expect((await session.submit("on")).response).toBe(deltas.join(""));
    await expect.poll(() => seen.seqs().at(-1)).toBe(session.lastSeq);
    expect(seen.seqs()).toEqual(upTo(session.lastSeq));
    expect(streams()).toBeGreaterThan(50);
    const text = seen.events.map((event) => (event.type === "text_delta" ? event.delta : ""));
    expect(text.join("")).toBe(deltas.join("").repeat(2));
    await session.shutdown();
  });

  it("runs a prompt once whose answer was lost, and one that was sent without a connection", async () => {
    const { connect, loseAnswer, setOnline, cut, provider } = remote([
      { text: "one" },
      { text: "two" },
    ]);
    const session = await connect();
    loseAnswer("/messages");
    expect((await session.submit("first")).response).toBe("one");
    setOnline(false);
    cut();
    const states: string[] = [];
    session.on("complete", ({ response }) => states.push(response));
    const second = session.submit("second");
    await expect.poll(() => session.connection).toBe("lost");
    setOnline(true);
    expect((await second).response).toBe("two");
    expect(states).toEqual(["two"]);
    expect(provider.requests).toHaveLength(2);
    expect(session.connection).toBe("open");
    await session.shutdown();
  });

  it("drops a prompt that was stopped before it could be sent", async () => {
    const { connect, setOnline, cut, provider } = remote([{ text: "never" }]);
    const session = await connect();
    setOnline(false);
    cut();
    const turn = session.submit("first");
    await expect.poll(() => session.isExecuting()).toBe(true);
    session.abort();
    expect(await turn).toMatchObject({ state: "interrupted", turnId: "" });
    setOnline(true);
    await expect.poll(() => session.connection).toBe("open");
    expect(provider.requests).toEqual([]);
    await session.shutdown();
  });

  it("R-34: keeps an approval open across it, and takes an answer whose confirmation was lost", async () => {
    const { connect, setOnline, cut, loseAnswer } = remote([
      { toolCalls: [echoCall("x")] },
      { text: "Done" },
    ]);
    const session = await connect();
    const turn = session.submit("go");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const id = session.pendingPermissions()[0]?.id ?? "";
    setOnline(false);
    cut();
    await expect.poll(() => session.connection).toBe("lost");
    setOnline(true);
    await expect.poll(() => session.connection).toBe("open");
    expect(session.pendingPermissions()).toHaveLength(1);
    loseAnswer(`/permissions/${id}`);
    await session.resolvePermission(id, { allow: true, scope: "turn", reason: "fine" });
    expect((await turn).response).toBe("Done");
    await session.shutdown();
  });

  it("does not send again what must not be done twice", async () => {
    const { connect, loseAnswer, requests } = remote([{ toolCalls: [echoCall("x")] }]);
    const session = await connect();
    const turn = session.submit("go");
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    loseAnswer("/steer");
    await expect(session.steer("quickly")).rejects.toMatchObject({
      name: "RemoteError",
      code: "UNREACHABLE",
      hint: expect.stringContaining("try again") as string,
    });
    expect(requests.filter((line) => line.endsWith("/steer"))).toHaveLength(1);
    session.abort();
    await turn;
    await session.shutdown();
  });

  it("R-33: reads the whole log anew when the server does not know the last event", async () => {
    const { connect, transport } = remote([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const before = await connect();
    await before.submit("1");
    await before.submit("2");
    const after = await connect();
    await after.submit("3");
    // The same address leads to another, shorter log: a copy that was restored.
    let isRestored = false;
    const network = faultyFetch(transport);
    const session = await connect({
      sessionId: before.sessionId,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (!isRestored) return network.fetch(request);
        const moved = request.url.replace(before.sessionId, after.sessionId);
        const response = await network.fetch(new Request(moved, request));
        if (!response.body) return response;
        const rename = new TransformStream<string, string>({
          transform: (text, controller) =>
            controller.enqueue(text.replaceAll(after.sessionId, before.sessionId)),
        });
        const body = response.body
          .pipeThrough(new TextDecoderStream())
          .pipeThrough(rename)
          .pipeThrough(new TextEncoderStream());
        return new Response(body, response);
      },
    });
    expect(session.getMessages()).toHaveLength(4);
    expect(after.lastSeq).toBeLessThan(before.lastSeq);
    isRestored = true;
    network.cut();
    await expect.poll(() => session.getMessages().length).toBe(2);
    expect(session.lastSeq).toBe(after.lastSeq);
    for (const one of [before, after, session]) await one.shutdown();
  });

  it("lets two clients watch one session, each at its own pace", async () => {
    const { connect, cut } = remote([{ deltas: ["a", "b"] }, { text: "c" }]);
    const one = await connect();
    const two = await connect({ sessionId: one.sessionId });
    const seen = [follow(one), follow(two)];
    await one.submit("1");
    cut();
    await two.submit("2");
    for (const { seqs } of seen) {
      await expect.poll(() => seqs().at(-1)).toBe(two.lastSeq);
      expect(seqs()).toEqual(upTo(two.lastSeq));
    }
    await one.shutdown();
    await two.shutdown();
  });

  it("gives up a server that takes requests and does not answer", async () => {
    const mute: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
      );
    const { connect } = remote();
    const unanswered = { code: "UNREACHABLE", message: expect.stringContaining("in time") };
    const options = { fetch: mute, timeoutMs: 50 };
    await expect(connect(options)).rejects.toMatchObject(unanswered);
    await expect(connect({ ...options, sessionId: "s" })).rejects.toMatchObject(unanswered);
  });

  it("gives up a token that never comes, and a request that can't be stopped", async () => {
    const { connect } = remote();
    const { sessionId } = await connect();
    const unanswered = { code: "UNREACHABLE", message: expect.stringContaining("in time") };
    const never = (): Promise<never> => new Promise(() => {});
    for (const options of [{ token: never }, { fetch: never }])
      await expect(connect({ sessionId, ...options, timeoutMs: 50 })).rejects.toMatchObject(
        unanswered,
      );
  });

  it("gives up a request that is not answered, and takes a long one all the same", async () => {
    const { connect, fetch: answering } = remote();
    const { sessionId } = await connect();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const given: (AbortSignal | null | undefined)[] = [];
    const late: typeof fetch = async (input, init) => {
      if (/\/(rewind|steer)$/.test(new Request(input).url)) {
        given.push(init?.signal);
        await released;
        init?.signal?.throwIfAborted();
      }
      return answering(input, init);
    };
    const session = await connect({ sessionId, fetch: late, timeoutMs: 3_000 });
    const rewinding = session.rewind("nothing");
    await expect(session.steer("go")).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(given.map((signal) => signal?.aborted)).toEqual([false, true]);
    release();
    await expect(rewinding).rejects.toMatchObject({ code: "NOT_FOUND" });
    await session.shutdown();
  });

  it("is made again when the server does not open its stream", async () => {
    const { connect, fetch: answering, streams, cut } = remote([{ text: "one" }]);
    let isMute = false;
    const half: typeof fetch = (input, init) => {
      if (!isMute || !new Request(input).url.endsWith("/events")) return answering(input, init);
      isMute = false;
      return new Promise((_, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
      );
    };
    const session = await connect({ fetch: half, silenceMs: 500 });
    await expect.poll(streams).toBe(1);
    isMute = true;
    cut();
    await expect.poll(streams).toBeGreaterThan(1);
    expect(await session.submit("1")).toMatchObject({ response: "one" });
    await session.shutdown();
  });

  it("keeps no connection when it is made, and can't be used", async () => {
    const { connect, fetch: answering } = remote();
    const refusing: typeof fetch = async (input, init) =>
      new Request(input).url.endsWith("/commands")
        ? Response.json({ code: "INSUFFICIENT_SCOPE", detail: "No." }, { status: 403 })
        : answering(input, init);
    const states: string[] = [];
    const onConnection = (state: string): void => void states.push(state);
    const made = connect({ fetch: refusing, onConnection });
    await expect(made).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect(states.at(-1)).toBe("closed");
  });

  it("ends with a reason when it can't be made or made again", async () => {
    const { connect, call, cut } = remote([{ text: "one" }]);
    const wrong = await connect({ token: "guess" }).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(HttpProblem);
    expect(wrong).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    const absent = await connect({ sessionId: "nobody" }).catch((error: unknown) => error);
    expect(absent).toBeInstanceOf(SessionError);
    expect(codeOf(absent)).toBe("NOT_FOUND");
    const offline = async (): Promise<Response> => Promise.reject(new TypeError("Failed to fetch"));
    const nowhere = await connect({ sessionId: "s", fetch: offline, timeoutMs: 50 }).catch(
      (error: unknown) => error,
    );
    expect(nowhere).toBeInstanceOf(RemoteError);
    expect(codeOf(nowhere)).toBe("UNREACHABLE");
    await expect(connect({ url: "file:///x" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });

    const session = await connect();
    const failure = (async () => {
      for await (const _ of session.events());
    })().catch((error: unknown) => error);
    await call(`/v1/sessions/${session.sessionId}`, { method: "DELETE" });
    cut();
    expect(codeOf(await failure)).toBe("NOT_FOUND");
    expect(session.connection).toBe("closed");
  });
});
