import { withHost } from "#host";
import { InteractiveSession, type Platform, SessionError, ValidationError } from "@robota/runtime";
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

it("sends the images and files of a prompt, also of one that waited over a crash", () =>
  withHost(async ({ platform }) => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const { session, allow } = await waiting(platform, [{ text: "one" }], []);
    const seen = session.submit("What is it?", undefined, undefined, { attachments: [image] });
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
