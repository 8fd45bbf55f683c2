import { expect, it } from "vitest";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { createFunctionTool } from "../../tools/function-tool.ts";
import { ToolRegistry } from "../../tools/tool-registry.ts";
import { readTool } from "../../tools/builtin/read.ts";
import { ToolExecutionService } from "./tool-execution-service.ts";

const add = createFunctionTool(
  "add",
  "Adds",
  { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  ({ a }, context) => {
    context.emit({ text: "adding" });
    return Number(a) + 1;
  },
);

it("answers every call of a batch in order, including failures", async () => {
  const output: string[] = [];
  const service = new ToolExecutionService({ tools: new ToolRegistry([add]) });
  const results = await service.execute(
    [
      { id: "1", name: "add", args: { a: 1 } },
      { id: "2", name: "add", args: { a: "x" } },
      { id: "3", name: "none", args: {} },
      { id: "4", name: "add", args: {}, rawArgs: "{" },
    ],
    { onOutput: ({ id }, { text }) => output.push(`${id} ${text}`) },
  );
  expect(results).toMatchObject([
    { toolCallId: "1", content: "2" },
    { toolCallId: "2", errorCode: "invalid_arguments" },
    { toolCallId: "3", errorCode: "unknown_tool" },
    { toolCallId: "4", errorCode: "invalid_arguments" },
  ]);
  expect(output).toEqual(["1 adding"]);
});

it("gives tools a platform, requests approval for each call, and aborts", async () => {
  const platform = memoryPlatform({ files: { "/code/a.txt": "hello" } });
  const service = new ToolExecutionService({
    tools: [readTool],
    platform,
    cwd: "/code",
    authorize: ({ id }, _, args) =>
      id === "no"
        ? { allow: false, content: "No.", errorCode: "permission_denied" }
        : { allow: true, args },
  });
  const call = (id: string) => ({ id, name: "Read", args: { filePath: "a.txt" } });
  expect(await service.execute([call("yes"), call("no")])).toMatchObject([
    { content: expect.stringContaining("hello") },
    { content: "No.", errorCode: "permission_denied" },
  ]);
  expect(await service.execute([call("late")], { signal: AbortSignal.abort() })).toMatchObject([
    { errorCode: "aborted" },
  ]);
});
