import { withHost } from "#host";
import {
  createFunctionTool,
  InteractiveSession,
  listSessions,
  type SessionEvent,
} from "@robota/runtime";
import { type ScriptedReply, ScriptedProvider } from "@robota/runtime/testing";
import {
  deleteRemoteSession,
  listRemoteSessions,
  moveFromServer,
  moveToServer,
  RemoteSession,
  type RemoteSessionOptions,
} from "@robota/runtime/transports";
import { expect, it } from "vitest";
import { faultyFetch, type FaultyFetch } from "../../support/network/faulty-fetch.ts";
import { httpFixture, type HttpFixture } from "../../support/network/http-sessions.ts";
import { NEVER } from "../../support/recovery/cut-turn.ts";

/** The effects of a tool that asks before each, over all hosts. */
function effects() {
  const seen: string[] = [];
  const act = createFunctionTool(
    "act",
    "Acts",
    { type: "object", properties: { text: { type: "string" } } },
    async ({ text }) => {
      seen.push(String(text));
      return "acted";
    },
  );
  return { seen, act };
}

const actCall = (text: string) => ({ id: `call-${text}`, name: "act", args: { text } });

interface Server extends HttpFixture, FaultyFetch {
  address: Omit<RemoteSessionOptions, "sessionId">;
}

function server(script: readonly ScriptedReply[], act = effects().act): Server {
  const http = httpFixture(script, {
    session: { tools: [act], queueLimit: 3, onInterruptedTurn: "continue" },
    tokens: {
      ann: ["ann-secret", { token: "ann-prompt", scopes: ["prompt", "approve"] }],
      bob: "bob-secret",
    },
  });
  const network = faultyFetch(http.transport);
  const address = {
    url: "http://localhost",
    token: "ann-secret",
    fetch: network.fetch,
    firstDelayMs: 1,
    maxDelayMs: 20,
  };
  return { ...http, ...network, address };
}

const isStored = ({ type }: SessionEvent): boolean =>
  type !== "context_update" && type !== "tool_output";

/** Collects the events of a session that is followed, also where it goes on. */
function follow(session: RemoteSession): SessionEvent[] {
  const events: SessionEvent[] = [];
  void (async () => {
    for await (const event of session.events()) if (isStored(event)) events.push(event);
  })();
  return events;
}

it("goes on from one server to another and back, while a client sees one stream", async () => {
  const { seen, act } = effects();
  const one = server([{ toolCalls: [actCall("a"), actCall("b")] }, { text: "Second" }], act);
  const two = server([{ text: "First" }, NEVER], act);
  const client = await RemoteSession.create(one.address);
  const events = follow(client);
  const turn = client.submit("go");
  const queued = client.submit("next");
  await expect.poll(() => client.pendingPermissions()).toHaveLength(1);
  await client.resolvePermission(client.pendingPermissions()[0]?.id ?? "", { allow: true });
  await expect
    .poll(() => client.pendingPermissions().map(({ args }) => args))
    .toEqual([{ text: "b" }]);
  await expect.poll(() => client.getQueue()).toEqual(["next"]);

  const there = await moveToServer(client, two.address);
  await client.continueAt({ ...two.address, sessionId: there.sessionId });
  expect(client.sessionId).toBe(there.sessionId);
  expect(client.handedOverTo).toBeUndefined();
  const [request] = client.pendingPermissions();
  expect(request).toMatchObject({ tool: "act", args: { text: "b" } });
  await client.resolvePermission(request?.id ?? "", { allow: true });
  await expect.poll(() => seen).toEqual(["a", "b"]);
  // The first turn has ended, and the next prompt runs.
  await expect.poll(() => two.provider.requests.length).toBe(2);
  expect(await turn).toMatchObject({ state: "complete", response: "First" });
  const back = await moveToServer(client, one.address);
  await client.continueAt({ ...one.address, sessionId: back.sessionId });
  expect(await queued).toMatchObject({ state: "complete", response: "Second" });
  expect(seen).toEqual(["a", "b"]);
  await expect.poll(() => events.at(-1)?.seq).toBe(client.lastSeq);
  const seqs = events.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(2);
  expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(2);
  expect(events.filter(({ type }) => type === "permission_request")).toHaveLength(2);
  const history = await one.call(`/v1/sessions/${client.sessionId}/history`);
  expect(JSON.parse(JSON.stringify(client.getFullHistory()))).toEqual(
    ((await history.json()) as { history: unknown }).history,
  );
  await client.shutdown();
  expect([...one.errors, ...two.errors]).toEqual([]);
});

it("goes on with a client that has not seen the end at the former server", async () => {
  const { seen, act } = effects();
  const one = server([{ toolCalls: [actCall("a")] }], act);
  const two = server([{ text: "Done" }], act);
  const client = await RemoteSession.create(one.address);
  const turn = client.submit("go");
  await expect.poll(() => client.pendingPermissions()).toHaveLength(1);
  const { sessionId } = client;
  one.stall();
  const mover = new RemoteSession({ ...one.address, sessionId });
  await mover.ready;
  const there = await moveToServer(mover, two.address);
  await client.continueAt({ ...two.address, sessionId: there.sessionId });
  expect(client.handedOverTo).toBeUndefined();
  const [request] = client.pendingPermissions();
  expect(request).toMatchObject({ tool: "act", args: { text: "a" } });
  await client.resolvePermission(request?.id ?? "", { allow: true });
  expect(await turn).toMatchObject({ state: "complete", response: "Done" });
  expect(seen).toEqual(["a"]);
  await Promise.all([client.shutdown(), mover.shutdown()]);
});

it("completes a move whose answers were lost, once", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([NEVER]);
    const session = new InteractiveSession({ platform, provider, cwd, trackFiles: false });
    session.submit("go").catch(() => undefined);
    await expect.poll(() => provider.requests.length).toBe(1);
    const { address, loseAnswer, provider: there, call, requests } = server([{ text: "Done" }]);
    loseAnswer("/v1/sessions");
    loseAnswer("/log");
    const place = await moveToServer(session, address);
    expect(requests.filter((request) => request.startsWith("PUT"))).toHaveLength(2);
    // Another attempt, such as of a program that did not learn of its success.
    expect(await moveToServer(session, address)).toEqual(place);
    const client = new RemoteSession({ ...address, sessionId: place.sessionId });
    await client.ready;
    await expect.poll(() => client.isExecuting()).toBe(false);
    expect(client.getMessages().map(({ content }) => content)).toEqual(["go", "Done"]);
    expect(there.requests).toHaveLength(1);
    const { sessions } = (await (await call("/v1/sessions")).json()) as { sessions: object[] };
    expect(sessions).toHaveLength(1);
    await client.shutdown();
    await session.shutdown();
  }));

it("gives up a server that takes a session and does not answer, and completes the move later", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([NEVER]);
    const session = new InteractiveSession({ platform, provider, cwd, trackFiles: false });
    session.submit("go").catch(() => undefined);
    await expect.poll(() => provider.requests.length).toBe(1);
    const { address } = server([{ text: "Done" }]);
    const signals: (AbortSignal | null | undefined)[] = [];
    const mute: typeof fetch = async (input, init) => {
      if (init?.method !== "PUT") return address.fetch?.(input, init) ?? fetch(input, init);
      signals.push(init.signal);
      return new Promise(() => {});
    };
    const unanswered = { code: "UNREACHABLE", message: expect.stringContaining("in time") };
    const options = { timeoutMs: 300 };
    await expect(moveToServer(session, { ...address, fetch: mute }, options)).rejects.toMatchObject(
      unanswered,
    );
    expect(signals.map((signal) => signal?.aborted)).not.toContain(false);
    expect(signals.length).toBeGreaterThan(0);
    const place = await moveToServer(session, address);
    const client = new RemoteSession({ ...address, sessionId: place.sessionId });
    await client.ready;
    await expect.poll(() => client.getMessages().at(-1)?.content).toBe("Done");
    await client.shutdown();
    await session.shutdown();
  }));

it("lists and deletes no session of a server that does not answer, and says so", async () => {
  const mute: typeof fetch = () => new Promise(() => {});
  const silent = { url: "http://localhost", fetch: mute };
  const unanswered = { code: "UNREACHABLE", message: expect.stringContaining("in time") };
  const options = { timeoutMs: 50 };
  await expect(listRemoteSessions(silent, options)).rejects.toMatchObject(unanswered);
  await expect(deleteRemoteSession(silent, "s", options)).rejects.toMatchObject(unanswered);
});

it("gives up a move whose log stops arriving, and completes it later", () =>
  withHost(async ({ platform, cwd }) => {
    const { address } = server([{ text: "Done" }]);
    const client = await RemoteSession.create(address);
    await client.submit("go");
    let isMute = true;
    const half: typeof fetch = async (input, init) => {
      const response = await (address.fetch ?? fetch)(input, init);
      if (!isMute || !new Request(input).url.includes("/log")) return response;
      const first = (await response.text()).slice(0, 100);
      return new Response(
        new Blob([first])
          .stream()
          .pipeThrough(new TransformStream({ flush: () => new Promise(() => {}) })),
        response,
      );
    };
    const silent = { ...address, fetch: half, silenceMs: 1000 };
    await expect(moveFromServer(platform, client.sessionId, silent, { cwd })).rejects.toMatchObject(
      { code: "UNREACHABLE", message: expect.stringContaining("silent") },
    );
    expect(await listSessions(platform.storage)).toEqual([]);
    isMute = false;
    const id = await moveFromServer(platform, client.sessionId, silent, { cwd });
    expect((await listSessions(platform.storage)).map((stored) => stored.id)).toEqual([id]);
    await client.shutdown();
  }));

it("tells a client of a session that was handed over where it went, and takes nothing for it", async () => {
  const here = server([NEVER]);
  const client = await RemoteSession.create(here.address);
  client.submit("go").catch(() => undefined);
  await expect.poll(() => here.provider.requests.length).toBe(1);
  const to = { sessionId: "there", url: "https://edge.example" };
  expect(await client.handOver({ to })).toEqual(to);
  expect(client.handedOverTo).toEqual(to);
  await expect(client.submit("more")).rejects.toMatchObject({ code: "HANDED_OVER" });
  const path = `/v1/sessions/${client.sessionId}`;
  expect(await (await here.call(path)).json()).toMatchObject({
    state: "idle",
    handedOverTo: to,
    pendingPermissions: [],
  });
  const other = await here.call(`${path}/hand-over`, { body: { to: { sessionId: "other" } } });
  expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([
    409,
    "HANDED_OVER",
  ]);
  expect(here.provider.requests).toHaveLength(1);
  await client.shutdown();
});

it("lets an administrator alone hand over, and import what counts as trusted", async () => {
  const here = server([{ text: "1" }]);
  const client = await RemoteSession.create(here.address);
  await client.submit("go");
  const path = `/v1/sessions/${client.sessionId}`;
  const to = { sessionId: "there" };
  for (const request of [
    here.call(`${path}/hand-over`, { token: "ann-prompt", body: { to } }),
    here.call(`${path}/log?trusted=true`, { method: "PUT", token: "ann-prompt", body: {} }),
  ]) {
    const refused = await request;
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      403,
      "INSUFFICIENT_SCOPE",
    ]);
  }
  for (const query of ["trusted=1", "trusted=yes"])
    expect((await here.call(`${path}/log?${query}`, { method: "PUT", body: {} })).status).toBe(400);
  expect((await here.call(`${path}/log?grants=all`)).status).toBe(400);
  expect(client.handedOverTo).toBeUndefined();
  await client.shutdown();
});

it("lists the sessions of a server, and says at once why it can't", async () => {
  const here = server([{ text: "1" }]);
  const client = await RemoteSession.create({ ...here.address, name: "Ann's" });
  await client.submit("go");
  const { sessionId } = client;
  await client.shutdown();
  const list = () => listRemoteSessions(here.address);
  expect(await list()).toMatchObject([{ id: sessionId, name: "Ann's", state: "idle" }]);
  await deleteRemoteSession(here.address, sessionId);
  await deleteRemoteSession(here.address, sessionId);
  expect(await list()).toEqual([]);
  await expect(listRemoteSessions({ ...here.address, token: "guess" })).rejects.toMatchObject({
    code: "UNAUTHORIZED",
  });
  here.setOnline(false);
  await expect(list()).rejects.toMatchObject({ code: "UNREACHABLE" });
  for (const answer of ["<html>", '{"sessions":[{"id":1}]}', '{"sessions":{}}'])
    await expect(
      listRemoteSessions({ url: "http://localhost", fetch: async () => new Response(answer) }),
    ).rejects.toMatchObject({ code: "BAD_ANSWER" });
});

it("brings a session from a server to where it left, with its files and its running turn", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "One" }, { text: "Three" }]);
    const options = { platform, provider, cwd, trackFiles: false };
    const session = new InteractiveSession(options);
    await session.submit("one");
    const { address, provider: there } = server([NEVER]);
    const { sessionId } = await moveToServer(session, address);
    await session.shutdown();
    const remote = new RemoteSession({ ...address, sessionId });
    remote.submit("two").catch(() => undefined);
    await expect.poll(() => there.requests.length).toBe(1);
    const id = await moveFromServer(platform, sessionId, address, { cwd });
    expect(id).toBe(session.sessionId);
    await expect.poll(() => remote.handedOverTo).toEqual({ sessionId: id });
    await using back = new InteractiveSession({
      ...options,
      sessionId: id,
      onInterruptedTurn: "continue",
    });
    await expect
      .poll(() => back.getMessages().map(({ content }) => content))
      .toEqual(["one", "One", "two", "Three"]);
    // Again, such as from a page that did not see the end of the first attempt.
    await expect(moveFromServer(platform, sessionId, address, { cwd })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await remote.shutdown();
  }));

it("takes a session back whose way to a server was cut, with its open request, once it can't arrive", () =>
  withHost(async ({ platform, cwd }) => {
    const { seen, act } = effects();
    const provider = new ScriptedProvider([{ toolCalls: [actCall("a")] }, { text: "Done" }]);
    const options = { platform, provider, tools: [act], cwd, trackFiles: false };
    const session = new InteractiveSession(options);
    session.submit("go").catch(() => undefined);
    await expect.poll(() => session.pendingPermissions()).toHaveLength(1);
    const { address, setOnline, call } = server([]);
    const cut: typeof address.fetch = async (input, init) => {
      if (init?.method === "PUT") setOnline(false);
      return (address.fetch ?? fetch)(input, init);
    };
    await expect(
      moveToServer(session, { ...address, fetch: cut }, { timeoutMs: 2_000 }),
    ).rejects.toMatchObject({ code: "UNREACHABLE" });
    const there = session.handedOverTo?.sessionId ?? "";
    await session.shutdown();
    // Nobody knows whether it has arrived.
    await expect(
      moveFromServer(platform, there, address, { timeoutMs: 2_000 }),
    ).rejects.toMatchObject({
      code: "UNREACHABLE",
    });
    setOnline(true);
    expect(await moveFromServer(platform, there, address)).toBe(session.sessionId);
    expect((await call(`/v1/sessions/${there}`)).status).toBe(404);
    expect((await listSessions(platform.storage))[0]?.handedOverTo).toBeUndefined();
    await using back = new InteractiveSession({
      ...options,
      sessionId: session.sessionId,
      onInterruptedTurn: "continue",
    });
    await back.ready;
    const [request] = back.pendingPermissions();
    await back.resolvePermission(request?.id ?? "", { allow: true });
    await expect.poll(() => back.isExecuting()).toBe(false);
    expect(seen).toEqual(["a"]);
    expect(back.getMessages().at(-1)?.content).toBe("Done");
    // And goes on its way again.
    expect((await moveToServer(back, address)).sessionId).not.toBe(there);
  }));

it("leaves a session where it is whose token could not take it over, and nothing at the server", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "One" }, { text: "Two" }]);
    await using session = new InteractiveSession({ platform, provider, cwd, trackFiles: false });
    await session.submit("one");
    const { address } = server([]);
    await expect(moveToServer(session, { ...address, token: "ann-prompt" })).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    expect(session.handedOverTo).toBeUndefined();
    expect(await listRemoteSessions(address)).toEqual([]);
    expect(await session.submit("two")).toMatchObject({ state: "complete" });
  }));

it("brings a session back that has its id at the server too", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "One" }, { text: "Three" }]);
    const options = { platform, provider, cwd, trackFiles: false };
    const session = new InteractiveSession(options);
    await session.submit("one");
    const { sessionId } = session;
    const { address } = server([{ text: "Two" }]);
    const place = await moveToServer(session, address, { keepId: true });
    expect(place.sessionId).toBe(sessionId);
    await session.shutdown();
    const remote = new RemoteSession({ ...address, sessionId });
    expect(await remote.submit("two")).toMatchObject({ response: "Two" });
    await remote.shutdown();
    expect(await moveFromServer(platform, sessionId, address, { cwd })).toBe(sessionId);
    await using back = new InteractiveSession({ ...options, sessionId });
    expect(await back.submit("three")).toMatchObject({ response: "Three" });
    expect(back.getMessages().map(({ content }) => content)).toEqual([
      "one",
      "One",
      "two",
      "Two",
      "three",
      "Three",
    ]);
  }));

it("keeps the session's id at a server where it is free, and gets another one where it is taken", () =>
  withHost(async ({ platform, cwd }) => {
    const provider = new ScriptedProvider([{ text: "Hi" }]);
    const session = new InteractiveSession({ platform, provider, cwd, trackFiles: false });
    await session.submit("go");
    const { sessionId } = session;
    const free = server([{ text: "More" }]);
    // The answer of the first request is lost, and the second one is for the same session.
    free.loseAnswer("/v1/sessions");
    const place = await moveToServer(session, free.address, { keepId: true });
    expect(place.sessionId).toBe(sessionId);
    const client = new RemoteSession({ ...free.address, sessionId });
    await client.ready;
    expect((await client.submit("more")).response).toBe("More");
    expect(await listRemoteSessions(free.address)).toMatchObject([{ id: sessionId }]);

    const taken = server([]);
    const create = (id: string, token = "ann-secret", key = "one") =>
      taken.call("/v1/sessions", { token, body: { id }, headers: { "idempotency-key": key } });
    const idOf = async (answer: Promise<Response>): Promise<string> =>
      ((await (await answer).json()) as { id: string }).id;
    expect(await idOf(create(sessionId))).toBe(sessionId);
    expect(await idOf(create(sessionId))).toBe(sessionId);
    const there = await moveToServer(client, taken.address, { keepId: true });
    expect(there.sessionId).not.toBe(sessionId);
    // Nobody gets another one's session by its id, and guessable ids are nobody's to reserve.
    expect(await idOf(create(sessionId, "bob-secret"))).not.toBe(sessionId);
    expect((await create("prod")).status).toBe(422);
    expect((await create(crypto.randomUUID(), "ann-prompt")).status).toBe(403);
    await client.shutdown();
    await session.shutdown();
  }));
