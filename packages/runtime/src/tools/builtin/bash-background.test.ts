import { expect, it } from "vitest";
import { contentText } from "../../messages/message.ts";
import { memoryPlatform } from "@robota/shell/testing";
import { toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { disposeSessionState } from "../session-state.ts";
import { readTool } from "./read.ts";

const workspace = (overrides: Partial<ToolContext> = {}) =>
  toolContext(memoryPlatform({ files: { "/code/a": "", "/tmp/": "" } }), overrides);

async function call(context: ToolContext, command: string, background?: boolean) {
  const args = { command, ...(background ? { background } : {}) };
  return (await bashTool.execute(args, context)) as ToolResult;
}

/** Reads a background command's output with the tool that a model has, until `text` is in it. */
async function outputWith(context: ToolContext, { data }: ToolResult, text: string) {
  const { file } = data as { file: string };
  for (;;) {
    const read = (await readTool.execute({ filePath: file }, context)) as ToolResult;
    const output = contentText(read.output);
    if (output.includes(text)) return output;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("returns at once, with a file that receives the output and the exit code", async () => {
  const context = workspace();
  const started = await call(context, "echo early; sleep 0.3; echo late; exit 4", true);
  expect(started.output).toContain("job-1");
  expect(await outputWith(context, started, "early")).not.toContain("late");
  expect(await outputWith(context, started, "exit code 4")).toMatch(/early[^]*late/);
  expect((await call(context, "jobs")).output).toContain("job-1 (exit code 4)");
});

it("is stopped by kill with its id", async () => {
  const context = workspace();
  const started = await call(context, "echo up; sleep 60", true);
  await outputWith(context, started, "up");
  expect((await call(context, "jobs")).output).toContain("job-1 (running)");
  expect((await call(context, "kill job-1")).output).toContain("job-1 was stopped.");
  expect(await outputWith(context, started, "stopped")).toContain("[job-1: stopped]");
  expect((await call(context, "kill -9 job-1")).output).toContain("had ended before");
  expect(await call(context, "kill job-9")).toMatchObject({ success: false });
});

it("ends when the turn is aborted, and with the session", async () => {
  const controller = new AbortController();
  const context = workspace({ signal: controller.signal });
  const one = await call(context, "sleep 60", true);
  controller.abort();
  const later = { ...context, signal: new AbortController().signal };
  await outputWith(later, one, "stopped");

  const two = await call(later, "sleep 60", true);
  await disposeSessionState(later.state);
  await outputWith(later, two, "stopped");
});

it("are limited in number", async () => {
  const context = workspace();
  for (let index = 0; index < 16; index++) await call(context, "sleep 60", true);
  expect((await call(context, "sleep 60", true)).output).toContain("End one first");
  await disposeSessionState(context.state);
  expect((await call(context, "true", true)).success).toBe(true);
});
