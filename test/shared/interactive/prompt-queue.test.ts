import { withHost } from "#host";
import {
  InteractiveSession,
  type Platform,
  Session,
  SessionError,
  ValidationError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { afterCrash, echo, echoCall } from "../../support/support.ts";

type Script = ConstructorParameters<typeof ScriptedProvider>[0];

/** A session whose first turn waits for an approval, with prompts behind it. */
async function waiting(platform: Platform, script: Script, prompts: readonly string[]) {
  const provider = new ScriptedProvider([{ toolCalls: [echoCall("x")] }, ...script]);
  const session = open(platform, provider);
  const asked = new Promise<string>((resolve) =>
    session.on("permission_request", ({ id }) => resolve(id)),
  );
  const first = session.submit("first");
  const request = await asked;
  const ends = prompts.map((text) => session.submit(text));
  for (const end of [first, ...ends]) end.catch(() => undefined);
  await expect.poll(() => texts(session)).toEqual(prompts);
  const idOf = (text: string): string =>
    session.queue.list().find((one) => one.text === text)?.id ?? "";
  const allow = (): Promise<void> => session.resolvePermission(request, { allow: true });
  return { session, provider, first, ends, idOf, allow };
}

function open(platform: Platform, provider: ScriptedProvider): InteractiveSession {
  return new InteractiveSession({
    platform,
    provider,
    tools: [echo],
    sessionId: "queued",
    queueLimit: 5,
  });
}

async function firstTurn(session: InteractiveSession): Promise<string | undefined> {
  for await (const event of session.events({ after: 0 }))
    if (event.type === "turn_start") return event.turnId;
  return undefined;
}

/** The queue of the last event that has one. */
async function queueInLog(session: InteractiveSession): Promise<string[]> {
  let queue: string[] = [];
  for await (const event of session.events({ after: 0 })) {
    if (event.type === "queue_update") queue = event.queue;
    if (event.seq === session.lastSeq) break;
  }
  return queue;
}

const texts = ({ queue }: InteractiveSession): string[] => queue.list().map(({ text }) => text);
const asked = ({ requests }: ScriptedProvider): unknown[] =>
  requests.map(({ messages }) => messages.findLast(({ role }) => role === "user")?.content);

it("runs queued prompts as they were edited and moved, and none that was removed", () =>
  withHost(async ({ platform }) => {
    const script = [{ text: "one" }, { text: "two" }, { text: "three" }];
    const { session, provider, ends, idOf, allow } = await waiting(platform, script, [
      "a",
      "b",
      "b",
    ]);
    const [, second, third] = session.queue.list();
    expect(second?.id).not.toBe(third?.id);
    await session.queue.edit(third?.id ?? "", "b, but better");
    await session.queue.move(third?.id ?? "", 0);
    await session.queue.remove(second?.id ?? "");
    expect(texts(session)).toEqual(["b, but better", "a"]);
    expect(session.queue.list()).toBe(session.queue.list());
    expect(await ends[1]).toMatchObject({ state: "interrupted", turnId: "" });
    await expect(session.queue.edit(idOf("a"), " ")).rejects.toBeInstanceOf(ValidationError);
    await expect(session.queue.move(idOf("a"), -1)).rejects.toBeInstanceOf(ValidationError);
    await expect(session.queue.remove("gone")).rejects.toBeInstanceOf(SessionError);
    await allow();
    expect((await ends[2])?.response).toBe("two");
    expect((await ends[0])?.response).toBe("three");
    expect(asked(provider).slice(-2)).toEqual(["b, but better", "a"]);
    await session.shutdown();
  }));

it("begins nothing while the queue is paused, also after a crash", () =>
  withHost(async ({ platform }) => {
    const { session, first, ends, allow, idOf } = await waiting(
      platform,
      [{ text: "one" }],
      ["a", "b"],
    );
    await session.queue.pause();
    await session.queue.edit(idOf("b"), "c");
    await allow();
    expect((await first).response).toBe("one");
    expect([session.isExecuting(), session.queue.isPaused(), texts(session)]).toEqual([
      false,
      true,
      ["a", "c"],
    ]);
    const ids = session.queue.list().map(({ id }) => id);
    const storage = await afterCrash(platform.storage, "queued");
    await session.shutdown();
    await Promise.allSettled(ends);

    const provider = new ScriptedProvider([{ text: "aside" }, { text: "A" }, { text: "C" }]);
    const again = open({ ...platform, storage }, provider);
    await again.ready;
    expect(again.queue.list().map(({ id }) => id)).toEqual(ids);
    expect(again.queue.isPaused()).toBe(true);
    // A new prompt runs at once, and the others stay.
    expect((await again.submit("aside")).response).toBe("aside");
    expect([again.isExecuting(), texts(again)]).toEqual([false, ["a", "c"]]);
    await again.queue.resume();
    await expect.poll(() => [again.isExecuting(), texts(again)]).toEqual([false, []]);
    expect(asked(provider)).toEqual(["aside", "a", "c"]);
    // An empty queue is no longer paused.
    expect(again.queue.isPaused()).toBe(false);
    await again.shutdown();
  }));

it("keeps the queue and pauses it when a turn is stopped so", () =>
  withHost(async ({ platform }) => {
    const { session, first, ends } = await waiting(platform, [{ text: "A" }], ["a"]);
    session.abort({ keepQueue: true });
    expect((await first).state).toBe("interrupted");
    expect([session.isExecuting(), session.queue.isPaused()]).toEqual([false, true]);
    expect(texts(session)).toEqual(["a"]);
    await session.queue.resume();
    expect((await ends[0])?.response).toBe("A");
    await session.shutdown();
  }));

it("keeps a steering message that a stopped turn has not read with the queue, also over a crash", () =>
  withHost(async ({ platform }) => {
    const { session, first } = await waiting(platform, [], []);
    await session.steer("and this");
    session.abort({ keepQueue: true });
    expect((await first).state).toBe("interrupted");
    expect([texts(session), session.queue.isPaused()]).toEqual([["and this"], true]);
    expect(session.isExecuting()).toBe(false);
    await expect.poll(() => queueInLog(session)).toEqual(["and this"]);
    const storage = await afterCrash(platform.storage, "queued");
    await session.shutdown();

    const provider = new ScriptedProvider([{ text: "This too" }]);
    const again = open({ ...platform, storage }, provider);
    await again.ready;
    expect([texts(again), again.queue.isPaused()]).toEqual([["and this"], true]);
    await again.queue.resume();
    await expect.poll(() => [again.isExecuting(), texts(again)]).toEqual([false, []]);
    expect(asked(provider)).toEqual(["and this"]);
    await again.shutdown();
  }));

it("goes on with a steering message when only the turn is stopped that has not read it, before what waits", () =>
  withHost(async ({ platform }) => {
    const script = [{ text: "This too" }, { text: "A" }];
    const { session, provider, first, ends } = await waiting(platform, script, ["a"]);
    await session.steer("and this");
    session.abort({ turnId: await firstTurn(session) });
    expect((await first).state).toBe("interrupted");
    expect((await ends[0])?.response).toBe("A");
    expect(asked(provider)).toEqual(["first", "and this", "a"]);
    await session.shutdown();
  }));

it("drops a steering message with the queue, also when the turn was stopped in another way before", () =>
  withHost(async ({ platform }) => {
    const { session, provider, first, ends } = await waiting(platform, [], ["a"]);
    await session.steer("and this");
    session.abort({ keepQueue: true });
    session.abort();
    session.abort({ keepQueue: true });
    expect((await first).state).toBe("interrupted");
    expect(await ends[0]).toMatchObject({ state: "interrupted", turnId: "" });
    expect([session.isExecuting(), texts(session)]).toEqual([false, []]);
    expect(asked(provider)).toEqual(["first"]);
    await session.shutdown();
  }));

it("ends a prompt by its own signal, before it is taken, while it waits and while it runs; others go on", () =>
  withHost(async ({ platform }) => {
    const script = [{ toolCalls: [echoCall("y")] }, { text: "B" }];
    const { session, provider, allow } = await waiting(platform, [{ text: "one" }, ...script], []);
    const [gone, early, late] = [AbortSignal.abort(), new AbortController(), new AbortController()];
    const turns = [
      session.submit("never", { signal: gone }),
      session.submit("a", { signal: early.signal }),
      session.submit("running", { signal: late.signal, displayInput: "Run it" }),
      session.submit("b"),
    ];
    await expect.poll(() => texts(session)).toEqual(["a", "running", "b"]);
    // An edited prompt is still that of its caller.
    await session.queue.edit(session.queue.list()[0]?.id ?? "", "a, edited");
    early.abort();
    expect(texts(session)).toEqual(["running", "b"]);
    for (const dropped of [turns[0], turns[1]])
      expect(await dropped).toMatchObject({ state: "interrupted", turnId: "" });

    const second = new Promise((resolve) => session.on("permission_request", resolve));
    await allow();
    await second;
    late.abort();
    expect(await turns[2]).toMatchObject({
      state: "interrupted",
      turnId: expect.stringMatching(/./),
    });
    expect((await turns[3])?.response).toBe("B");
    expect(asked(provider)).toEqual(["first", "first", "running", "b"]);
    expect(session.queue.isPaused()).toBe(false);
    const shown = session.getFullHistory().map(({ data }) => data);
    expect(JSON.stringify(shown)).toContain("Run it");
    await session.shutdown();
  }));

it("stops one turn and no other by its id", () =>
  withHost(async ({ platform }) => {
    const { session, first, ends } = await waiting(platform, [{ text: "A" }], ["a"]);
    session.abort({ turnId: "another" });
    expect(session.pendingPermissions()).toHaveLength(1);
    session.abort({ turnId: await firstTurn(session) });
    expect(await first).toMatchObject({ state: "interrupted" });
    expect((await ends[0])?.response).toBe("A");
    await session.shutdown();
  }));

it("sends the images and files of a prompt, also of one that waited over a crash", () =>
  withHost(async ({ platform }) => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const { session, allow } = await waiting(platform, [{ text: "one" }], []);
    const seen = session.submit("What is it?", { attachments: [image] });
    seen.catch(() => undefined);
    await expect.poll(() => session.queue.list()[0]?.attachments).toEqual([image]);
    await session.queue.pause();
    await allow();
    await expect.poll(() => session.isExecuting()).toBe(false);
    const storage = await afterCrash(platform.storage, "queued");
    await session.shutdown();

    const provider = new ScriptedProvider([{ text: "A picture" }]);
    const again = open({ ...platform, storage }, provider);
    await again.ready;
    await again.queue.resume();
    await expect
      .poll(() => asked(provider))
      .toEqual([[{ type: "text", text: "What is it?" }, image]]);
    await expect.poll(() => again.isExecuting()).toBe(false);
    await again.shutdown();
  }));

it("cancels the prompts that were sent before the session was open", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([{ text: "later" }]);
    const session = open(platform, provider);
    const turns = ["a", "b"].map((text) => session.submit(text));
    session.cancelQueue();
    const later = session.submit("c");
    for (const turn of turns)
      expect(await turn).toMatchObject({ state: "interrupted", turnId: "" });
    expect((await later).response).toBe("later");
    expect(asked(provider)).toEqual(["c"]);
    await session.shutdown();
  }));

it("cancels by its text only the first of the prompts that were sent before the session was open", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([{ text: "1" }, { text: "2" }]);
    const session = open(platform, provider);
    const turns = ["b", "a", "a", "a"].map((text) => session.submit(text));
    session.cancelQueue("a");
    session.cancelQueue("a");
    const ends = await Promise.all(turns);
    const states = ends.map(({ state }) => state);
    expect(states).toEqual(["complete", "interrupted", "interrupted", "complete"]);
    expect(asked(provider)).toEqual(["b", "a"]);
    await session.shutdown();
  }));

it("cancels the prompts that a stored session brings, when it is asked to before it is open", () =>
  withHost(async ({ platform }) => {
    const { session, ends } = await waiting(platform, [], ["a", "b"]);
    const storage = await afterCrash(platform.storage, "queued");
    await session.shutdown();
    await Promise.allSettled(ends);

    const again = open({ ...platform, storage }, new ScriptedProvider([]));
    again.cancelQueue("a");
    await again.ready;
    expect(texts(again)).toEqual(["b"]);
    again.cancelQueue();
    expect(texts(again)).toEqual([]);
    await again.shutdown();
  }));

it("cancels a prompt sent a moment ago behind the one whose turn begins", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([{ text: "one" }]);
    const session = open(platform, provider);
    await session.ready;
    const turns = ["a", "b"].map((text) => session.submit(text));
    session.cancelQueue();
    const states = (await Promise.all(turns)).map(({ state }) => state);
    expect(states).toEqual(["complete", "interrupted"]);
    await session.shutdown();
  }));

it("leaves restored prompts alone after a compaction, unless one was sent meanwhile", () =>
  withHost(async ({ platform }) => {
    const stored = new Session({
      platform,
      sessionId: "queued",
      provider: new ScriptedProvider([{ text: "one" }]),
    });
    await stored.run("first");
    await stored.setQueue(["restored"]);
    await stored.shutdown();

    const provider = new ScriptedProvider(["s", "t", "a", "b"].map((text) => ({ text })));
    const session = open(platform, provider);
    await session.ready;
    await session.compact();
    expect([session.isExecuting(), texts(session)]).toEqual([false, ["restored"]]);
    const [, sent] = await Promise.all([session.compact(), session.submit("sent")]);
    expect(sent.response).toBe("b");
    expect(asked(provider).slice(-2)).toEqual(["restored", "sent"]);
    await session.shutdown();
  }));

it("is no longer paused once submit has taken its last prompt, and stays paused when that is moved", () =>
  withHost(async ({ platform }) => {
    const request = { key: "again", content: "restored" };
    const stored = new Session({
      platform,
      sessionId: "queued",
      provider: new ScriptedProvider([{ text: "one" }]),
    });
    await stored.run("first");
    await stored.setQueue([{ id: "r", input: "restored", request }], { isPaused: true });
    await stored.shutdown();

    const provider = new ScriptedProvider([{ text: "two" }, { text: "three" }]);
    const session = open(platform, provider);
    await session.ready;
    await session.queue.move("r", 0);
    expect(session.queue.isPaused()).toBe(true);
    const turns = [session.submit("restored", { request }), session.submit("behind")];
    const ends = await Promise.all(turns);
    expect(ends.map(({ response }) => response)).toEqual(["two", "three"]);
    await session.shutdown();
  }));
