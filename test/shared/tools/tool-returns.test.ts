import { createFunctionTool, defineTool, InteractiveSession, type Tool } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";

const facts = { name: "T", description: "A tool", parameters: { type: "object" } } as const;

/** A function tool and a defined one with the same body, which need not return what their types say. */
function toolsOf(body: () => unknown): Tool[] {
  const { name, description, parameters } = facts;
  const access = "read";
  return [
    createFunctionTool(name, description, parameters, () => body() as string, { access }),
    defineTool({ ...facts, access, execute: () => body() as string }),
  ];
}

/** The result of a call as the model reads it, and the states of its turn and of one in the session opened again. */
async function readOf(tool: Tool) {
  const platform = memoryPlatform();
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: "T", args: {} }] },
    { text: "Done." },
    { text: "Later." },
  ]);
  const session = new InteractiveSession({ platform, provider, tools: [tool] });
  const { state } = await session.submit("Go");
  await session.shutdown();
  const again = new InteractiveSession({
    platform,
    provider,
    tools: [tool],
    resumeSessionId: session.sessionId,
  });
  const later = await again.submit("And now?");
  await again.shutdown();
  const result = provider.requests[1]?.messages.at(-1);
  if (result?.role !== "tool") throw new Error(`The turn ended as ${state}, without a result`);
  return { content: result.content, isError: result.isError, states: [state, later.state] };
}

const complete = ["complete", "complete"];

describe("what a tool returns", () => {
  it.each<[string, unknown, string]>([
    ["an object", { a: 1 }, '{"a":1}'],
    ["a number", 5, "5"],
    ["nothing", undefined, ""],
    ["what JSON can't express", Symbol("x"), ""],
    ["a result whose output is an object", { success: true, output: { a: 1 } }, '{"a":1}'],
    ["a result whose output is a list", { success: true, output: ["a"] }, '["a"]'],
    ["a result whose output is null", { success: true, output: null }, "null"],
  ])("is text for the model, and leaves the session usable: %s", async (_, value, content) => {
    for (const tool of toolsOf(() => value))
      expect(await readOf(tool)).toEqual({ content, isError: undefined, states: complete });
  });

  it.each<[string, () => unknown, string]>([
    ["in `error`", () => ({ success: false, output: "", error: "No such city" }), "No such city"],
    [
      "by an error in `error`",
      () => ({ success: false, output: "", error: new Error("No such city") }),
      "No such city",
    ],
    ["by errors in one that has no message", failTogether, "first; second"],
    ["by an error without a message", failSilently, "RangeError"],
  ])("tells the model the reason of a failure that is given %s", async (_, body, content) => {
    for (const tool of toolsOf(body))
      expect(await readOf(tool)).toEqual({ content, isError: true, states: complete });
  });
});

/** As Node's sockets do when no address of a name answers. */
function failTogether(): never {
  throw new AggregateError([new Error("first"), new Error("second")]);
}

function failSilently(): never {
  throw new RangeError();
}
