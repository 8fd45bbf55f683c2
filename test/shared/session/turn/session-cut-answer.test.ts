import {
  createFunctionTool,
  InteractiveSession,
  NetworkError,
  ProviderError,
  RateLimitError,
  replaySession,
  Robota,
  type RobotaError,
  Session,
} from "@robota/runtime";
import { asError } from "@robota/runtime/toolkit";
import { compatibleProvider } from "@robota/runtime/providers/openai";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { logText } from "../../../support/support.ts";
import { events, wireFetch } from "../../../support/wire/wire-fetch.ts";

const failures: RobotaError[] = [
  new NetworkError("cut", { provider: "p", hint: "Look.", cause: new Error("reset") }),
  new RateLimitError("slow", { provider: "p", retryAfterMs: 1_000 }),
  new ProviderError("busy", { provider: "p", code: "OVERLOADED", status: 529 }),
  new ProviderError("oops", { provider: "p", code: "SERVER_ERROR", status: 500 }),
  new ProviderError("long", {
    provider: "p",
    code: "CONTEXT_LENGTH",
    category: "user",
    recoverable: false,
    hint: "Shorten it.",
  }),
];

describe.each(failures)("an answer that fails after some text with $code", (error) => {
  const provider = (): ScriptedProvider => new ScriptedProvider([{ deltas: ["par"], error }]);

  it("rejects with the error itself, and keeps the text", async () => {
    const session = new Session({ platform: memoryPlatform(), provider: provider() });
    expect(await session.run("go").catch((thrown: unknown) => thrown)).toBe(error);
    expect(session.getHistory().at(-1)).toMatchObject({ content: "par", state: "interrupted" });
    await session.shutdown();
    expect((await new Robota({ provider: provider() }).run("go")).error).toBe(error);
  });

  it("is reported to listeners as itself, and in the log as its class", async () => {
    const platform = memoryPlatform();
    const session = new InteractiveSession({ platform, provider: provider() });
    const reported: Error[] = [];
    session.on("error", (failure) => reported.push(failure));
    const { error: facts } = await session.submit("go");
    expect(reported).toEqual([error]);
    expect(reported[0]).toBe(error);
    await session.shutdown();

    const lines = (await logText(platform.storage, session.sessionId)).split("\n");
    const end = lines.find((line) => line.includes('"turn_end"')) ?? "";
    const recorded: unknown = JSON.parse(end).error;
    expect(recorded).toEqual(facts);
    const read = asError(recorded);
    expect(read).toBeInstanceOf(error.constructor);
    expect(read).toMatchObject(error.toJSON());

    const { sessionId } = session;
    const record = { storage: platform.storage, sessionId };
    await expect(replaySession(record, memoryPlatform())).resolves.toBeDefined();
  });
});

describe("an answer with only an end mark", () => {
  const head = (index: number, args: string): object => ({
    index,
    id: `call_${index}`,
    function: { name: "echo", arguments: args },
  });
  const answer = (...calls: object[]): string =>
    `${events({ choices: [{ index: 0, delta: { content: "Look:", tool_calls: calls } }] })}data: [DONE]\n\n`;
  const run = async (...calls: object[]): Promise<{ ran: unknown[]; failed: unknown }> => {
    const ran: unknown[] = [];
    const service = wireFetch((_, call) =>
      call === 0
        ? answer(...calls)
        : events({ choices: [{ delta: { content: "Done." }, finish_reason: "stop" }] }),
    );
    const session = new Session({
      platform: memoryPlatform(),
      provider: compatibleProvider("ollama", { model: "m", fetch: service.fetch, maxRetries: 0 }),
      tools: [createFunctionTool("echo", "Says it again", { type: "object" }, () => "said")],
      permissionMode: "bypassPermissions",
      onToolExecution: ({ toolArgs }) => ran.push(toolArgs),
    });
    const failed: unknown = await session.run("go").then(
      () => undefined,
      (error: unknown) => error,
    );
    await session.shutdown();
    return { ran, failed };
  };

  it("runs nothing when a call's arguments never arrived, not even a complete call beside it", async () => {
    for (const calls of [
      [head(0, "")],
      [head(0, '{"text":"a"}'), head(1, "")],
      [head(0, ""), head(1, '{"text":"a"}')],
    ]) {
      const { ran, failed } = await run(...calls);
      expect(ran).toEqual([]);
      expect(failed).toBeInstanceOf(NetworkError);
    }
  });

  it("runs calls with complete arguments", async () => {
    const { ran, failed } = await run(head(0, '{"text":"a"}'), head(1, "{}"));
    expect(failed).toBeUndefined();
    expect(new Set(ran.map((args) => JSON.stringify(args)))).toEqual(
      new Set(['{"text":"a"}', "{}"]),
    );
  });
});
