import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Plugin } from "../plugins/plugin.ts";
import { ScriptedProvider, type ScriptedStep } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { Robota } from "./robota.ts";
import { ResponseFormatError } from "./response-format-error.ts";
import { type ResponseSchema } from "./structured-output.ts";

const person = z.object({
  name: z.string(),
  age: z.number(),
  pets: z.array(z.object({ kind: z.string() })).default([]),
});
const ADA = '{"name":"Ada","age":36}';

function setUp(...script: ScriptedStep[]): { agent: Robota; provider: ScriptedProvider } {
  const provider = new ScriptedProvider(script);
  return { agent: new Robota({ provider }), provider };
}

describe("a response format", () => {
  it("is sent to the provider as a closed JSON Schema, and types and completes the output", async () => {
    const { agent, provider } = setUp({ text: ADA });
    const result = await agent.run("Who?", { responseFormat: person });
    expect(result).toMatchObject({ text: ADA, rounds: 1 });
    expect(result.output).toEqual({ name: "Ada", age: 36, pets: [] });
    expect(result.error).toBeUndefined();
    expectTypeOf(result.output).toEqualTypeOf<z.output<typeof person> | undefined>();
    expect(provider.requests[0]?.options.responseFormat).toMatchObject({
      name: "response",
      schema: {
        type: "object",
        additionalProperties: false,
        properties: { pets: { items: { type: "object", additionalProperties: false } } },
      },
    });
  });

  it("accepts a name and any Standard Schema, whose intersections stay open", async () => {
    const both = {
      type: "object",
      allOf: [{ type: "object", properties: { a: { type: "number" } } }],
    };
    const schema: ResponseSchema<{ both: { a: number } }> = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: (value) =>
          JSON.stringify(value) === '{"both":{"a":1}}'
            ? { value: { both: { a: 1 } } }
            : { issues: [{ message: "Not one", path: [{ key: "both" }, "a"] }] },
        jsonSchema: { input: () => ({ $schema: "x", type: "object", properties: { both } }) },
      },
    };
    const { agent, provider } = setUp({ text: '{"both":{"a":2}}' }, { text: '{"both":{"a":1}}' });
    const { output } = await agent.run("?", { responseFormat: { name: "sum", schema } });
    expectTypeOf(output).toEqualTypeOf<{ both: { a: number } } | undefined>();
    expect(output).toEqual({ both: { a: 1 } });
    expect(provider.requests[0]?.options.responseFormat).toEqual({
      name: "sum",
      schema: { type: "object", properties: { both }, additionalProperties: false },
    });
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain("- /both/a: Not one\n");
  });

  it("is optional: a run without it has no output", async () => {
    const { agent, provider } = setUp({ text: ADA });
    const result = await agent.run("Who?", { maxExecutionRounds: 2 });
    expectTypeOf(result.output).toEqualTypeOf<undefined>();
    expect(result).not.toHaveProperty("output");
    expect(provider.requests[0]?.options).not.toHaveProperty("responseFormat");
  });

  it("reports the problems with their places to the model once, and keeps that request out of history", async () => {
    const wrong = '{"name":"Ada","age":36,"pets":[{"kind":1}]}';
    const tools = [createFunctionTool("look", "Looks", { type: "object" }, () => "seen")];
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "look" }] },
      { text: wrong },
      { text: ADA },
      { text: "later" },
    ]);
    const agent = new Robota({ provider, tools });
    const result = await agent.run("Who?", { responseFormat: person });
    expect(result).toMatchObject({ text: ADA, rounds: 3, output: { name: "Ada" } });

    const { messages, options } = provider.requests[2] ?? {};
    expect(messages?.at(-2)).toMatchObject({ role: "assistant", content: wrong });
    expect(messages?.at(-1)).toMatchObject({ role: "user" });
    expect(messages?.at(-1)?.content).toContain("- /pets/0/kind: ");
    expect(options?.tools).toBeUndefined();
    expect(agent.getHistory().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "assistant",
    ]);
    await agent.run("And now?");
    expect(provider.requests[3]?.messages.filter(({ role }) => role === "user")).toHaveLength(2);
  });

  it("fails with a typed error after a second invalid answer, and keeps its text", async () => {
    const { agent } = setUp({ text: "Ada" }, { text: '{"name":"Ada"}' }, { text: "still here" });
    const result = await agent.run("Who?", { responseFormat: person });
    expect(result).toMatchObject({ text: '{"name":"Ada"}', rounds: 2, interrupted: false });
    expect(result).not.toHaveProperty("output");
    expect(result.error).toBeInstanceOf(ResponseFormatError);
    expect(result.error).toMatchObject({
      code: "RESPONSE_FORMAT",
      hint: expect.stringContaining("schema"),
      problems: [expect.stringMatching(/^\/age: /)],
    });
    expect((await agent.run("Hello?")).text).toBe("still here");
  });

  it("keeps the invalid answer's text when the second call fails", async () => {
    const { agent } = setUp({ text: "Ada" }, { error: "down" });
    expect(await agent.run("Who?", { responseFormat: person })).toMatchObject({
      text: "Ada",
      error: { code: "PROVIDER_ERROR" },
    });
  });

  it("begins a plugin's retry with the problems of the last answer", async () => {
    const again: Plugin = {
      name: "again",
      category: "error_handling",
      onError: ({ attempt }) => (attempt === 1 ? { retryAfterMs: 0 } : undefined),
    };
    const provider = new ScriptedProvider([{ text: "a" }, { text: "{}" }, { text: ADA }]);
    const agent = new Robota({ provider, plugins: [again] });
    const result = await agent.run("Who?", { responseFormat: person });
    expect(result).toMatchObject({ output: { name: "Ada" }, rounds: 3 });
    expect(provider.requests[2]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("- /name: "),
    });
  });

  it("is not enforced after an abort", async () => {
    const stop = new AbortController();
    const { agent } = setUp({ deltas: ['{"name":', '"Ada"'], delayMs: 5 });
    const result = await agent.run("Who?", {
      responseFormat: person,
      signal: stop.signal,
      onTextDelta: () => stop.abort(),
    });
    expect(result).toMatchObject({ interrupted: true, rounds: 1 });
    expect(result.error).toBeUndefined();
  });

  it("is refused before the first request unless it is a JSON Schema of an object", async () => {
    const { agent, provider } = setUp({ text: "[]" });
    for (const responseFormat of [z.array(z.string()), z.object({ when: z.date() })]) {
      await expect(agent.run<unknown>("?", { responseFormat })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
        hint: expect.stringContaining("z"),
      });
    }
    expect(provider.requests).toEqual([]);
    expect(agent.getHistory()).toEqual([]);
  });
});
