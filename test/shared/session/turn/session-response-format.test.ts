import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  CUT,
  cutAt,
  ended,
  endOf,
  expectSameBytes,
  NEVER,
  type Script,
  sessionOf,
} from "../../../support/recovery/cut-turn.ts";
import { echo, echoCall } from "../../../support/support.ts";

const Files = z.object({ files: z.array(z.string()) });

function open(platform: Platform, script: Script) {
  const provider = new ScriptedProvider(script);
  const session = new InteractiveSession({
    platform,
    provider,
    tools: [echo],
    sessionId: CUT,
    permissionMode: "bypassPermissions",
    trackFiles: false,
    queueLimit: 3,
  });
  return { provider, session };
}

const asked = ({ requests }: ScriptedProvider): (string | undefined)[] =>
  requests.map(({ options }) => options.responseFormat?.name);

it("a prompt with a format is answered with its value, and the others with text", () =>
  withHost(async ({ platform }) => {
    const { session, provider } = open(platform, [
      { toolCalls: [echoCall("x")] },
      { text: '{"files":["a.ts"]}' },
      { text: "Hello" },
    ]);
    const result = await session.submit("Which files?", { responseFormat: Files });
    expectTypeOf(result.output).toEqualTypeOf<{ files: string[] } | undefined>();
    expect(result).toMatchObject({
      state: "complete",
      response: '{"files":["a.ts"]}',
      output: { files: ["a.ts"] },
    });
    const plain = await session.submit("Hi");
    expect(plain).toMatchObject({ state: "complete", response: "Hello" });
    expect(plain).not.toHaveProperty("output");
    expect(asked(provider)).toEqual(["response", "response", undefined]);
    expect(provider.requests[0]?.options.responseFormat?.schema).toMatchObject({
      type: "object",
      required: ["files"],
    });
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));

it("the model may correct an answer once, also where only the library knows what is wrong", () =>
  withHost(async ({ platform }) => {
    const Even = z.object({ count: z.number().refine((count) => count % 2 === 0, "is odd") });
    const { session, provider } = open(platform, [
      { text: '{"count":3}' },
      { text: '{"count":4}' },
      { text: "three" },
      { text: "four" },
      { text: "Done" },
    ]);
    const { output } = await session.submit("How many?", { responseFormat: Even });
    expect(output).toEqual({ count: 4 });
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain("/count: is odd");
    const failed = await session.submit("Again", { responseFormat: Even });
    expect(failed).toMatchObject({
      state: "complete",
      response: "four",
      error: { code: "RESPONSE_FORMAT" },
    });
    expect(failed).not.toHaveProperty("output");
    expect((await session.submit("And now?")).response).toBe("Done");
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));

it("the result reaches listeners with its value", () =>
  withHost(async ({ platform }) => {
    const { session } = open(platform, [{ text: '{"files":[]}' }]);
    const heard: unknown[] = [];
    session.on("complete", ({ output }) => heard.push(output));
    await session.submit("Which files?", { responseFormat: Files });
    expect(heard).toEqual([{ files: [] }]);
    await session.shutdown();
  }));

it("an interrupted prompt has no value, and no error about one", () =>
  withHost(async ({ platform }) => {
    const { session } = open(platform, [NEVER]);
    const running = session.submit("Which files?", { responseFormat: Files });
    await expect.poll(() => session.isExecuting()).toBe(true);
    session.abort();
    const result = await running;
    expect(result.state).toBe("interrupted");
    expect(result).not.toHaveProperty("output");
    expect(result).not.toHaveProperty("error");
    await session.shutdown();
  }));

it("a schema of something else than an object is refused before anything runs", () =>
  withHost(async ({ platform }) => {
    const { session, provider } = open(platform, [{ text: "Hello" }]);
    for (const responseFormat of [z.array(z.string()), { type: "array", items: {} }])
      await expect(session.submit("Which?", { responseFormat })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
        hint: expect.stringContaining("object"),
      });
    expect(session.isExecuting()).toBe(false);
    expect(session.getMessages()).toEqual([]);
    expect(provider.requests).toEqual([]);
    await session.shutdown();
  }));

it("queued prompts keep their formats, also after a crash", () =>
  withHost(async ({ platform }) => {
    const died = sessionOf(platform, [NEVER]);
    died.session.submit("first").catch(() => undefined);
    await expect.poll(() => died.session.isExecuting()).toBe(true);
    died.session.submit("Which files?", { responseFormat: Files }).catch(() => undefined);
    died.session.submit("Hi").catch(() => undefined);
    const storage = await cutAt(platform.storage, /"queue":\["Which files\?","Hi"\]/);
    const { session, provider } = sessionOf({ ...platform, storage }, [
      { text: "One" },
      { text: '{"files":[1]}' },
      { text: '{"files":["b.ts"]}' },
      { text: "Hello" },
    ]);
    const heard: unknown[] = [];
    session.on("complete", ({ output, error }) => heard.push(error ?? output));
    await ended(session);
    await expect.poll(() => heard).toEqual([undefined, { files: ["b.ts"] }, undefined]);
    expect(asked(provider)).toEqual([undefined, "response", "response", undefined]);
    expect(provider.requests[2]?.messages.at(-1)?.content).toContain("/files/0");
    await session.shutdown();
    await died.session.shutdown();
    await expectSameBytes(storage);
  }));

it("a turn that was cut goes on in its format", () =>
  withHost(async ({ platform }) => {
    const died = sessionOf(platform, [{ toolCalls: [echoCall("x")] }, NEVER], { tools: [echo] });
    died.session.submit("Which files?", { responseFormat: Files }).catch(() => undefined);
    const storage = await cutAt(platform.storage, /"tool_end"/);
    const { session, provider } = sessionOf(
      { ...platform, storage },
      [{ text: "b.ts" }, { text: '{"files":["b.ts"]}' }],
      { tools: [echo] },
    );
    const events = await ended(session);
    expect(endOf(events)).toMatchObject({ state: "complete", response: '{"files":["b.ts"]}' });
    expect(asked(provider)).toEqual(["response", "response"]);
    await session.shutdown();
    await died.session.shutdown();
    await expectSameBytes(storage);
  }));

it("a prompt of a session with hooks is checked once they let it end", () =>
  withHost(async ({ platform }) => {
    const provider = new ScriptedProvider([
      { text: "b.ts" },
      { text: "b.ts, really" },
      { text: '{"files":["b.ts"]}' },
    ]);
    const session = new InteractiveSession({
      platform,
      provider,
      sessionId: CUT,
      trackFiles: false,
      hooks: {
        Stop: [
          {
            hooks: [
              {
                type: "function",
                run: ({ stop_hook_active }) =>
                  stop_hook_active ? undefined : { decision: "block", reason: "Are you sure?" },
              },
            ],
          },
        ],
      },
    });
    const { output } = await session.submit("Which files?", { responseFormat: Files });
    expect(output).toEqual({ files: ["b.ts"] });
    const lastOf = (at: number): unknown => provider.requests[at]?.messages.at(-1)?.content;
    expect(lastOf(1)).toBe("Are you sure?");
    expect(lastOf(2)).toContain("not valid JSON");
    await session.shutdown();
    await expectSameBytes(platform.storage);
  }));
