import { defined } from "../../defined.ts";
import type { JsonObject, ToolArgs } from "../../messages/message.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import type { ModelAnswer, Tool, ToolContext, ToolResult, Validation } from "../../tools/tool.ts";
import type { SessionEventOf } from "../log/events.ts";
import { originalResult } from "./notes.ts";
import type { ReplayCursor } from "./replay-cursor.ts";
import { argsOfCall, endOfCall } from "./tool-facts.ts";

const MORE_PROBLEMS = /^- … and (\d+) more$/;

/** A stand-in for a recorded tool: its calls return their recorded results and do nothing else. */
export function recordedTool(cursor: ReplayCursor, name: string): Tool {
  return {
    name,
    description: "",
    get parameters() {
      return schemaOf(cursor, name);
    },
    limitsOutput: true,
    validate: (args) => validated(cursor, name, args),
    preview: async (_args, { toolCallId }) =>
      cursor.findOf("permission_request", ({ request }) => request.toolCallId === toolCallId)
        ?.request.preview,
    execute: (_args, context) => recordedResult(cursor, context),
  };
}

/** A tool that really runs: its result waits for its position in the recording. */
export function runningTool(cursor: ReplayCursor, tool: Tool, busy: Busy): Tool {
  return {
    ...tool,
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    ...defined({
      validate: tool.validate?.bind(tool),
      preview: tool.preview?.bind(tool),
    }),
    execute: async (args, context) => {
      const found = endOfCall(cursor, context.toolCallId);
      // The progress of an aborted tool can't be reproduced.
      if (found && hasErrorCode(found.end.outcome, "aborted"))
        return recordedResult(cursor, context);
      const result = await busy(async () => tool.execute(args, context));
      await cursor.due(found?.index);
      return result;
    },
  };
}

/** Marks real work as in progress as long as `work` lasts. */
export type Busy = <Value>(work: () => Promise<Value>) => Promise<Value>;

async function recordedResult(cursor: ReplayCursor, context: ToolContext): Promise<ToolResult> {
  const { toolCallId, memory } = context;
  const found = endOfCall(cursor, toolCallId);
  // Its recorded questions to the model count again.
  for (const _ of found?.end.outcome.answers ?? [])
    await context.ask?.({ prompt: "", maxTokens: 0 });
  await cursor.due(found?.index);
  if (!found) return { success: false, output: "" };
  const { end } = found;
  const {
    success,
    errorCode,
    exitCode,
    usedNetwork,
    changes,
    data,
    memory: kept = {},
  } = end.outcome;
  for (const [key, value] of Object.entries(kept)) memory.set(key, value);
  const { output } = originalResult(cursor, end);
  return {
    success,
    output,
    errorCode,
    exitCode,
    changes,
    usedNetwork,
    // Recorded data is JSON.
    data: data === undefined ? undefined : JSON.parse(JSON.stringify(data)),
  };
}

/** The model's recorded answers to each call's own questions, in order. */
export function recordedAnswers(cursor: ReplayCursor): (callId: string) => ModelAnswer | undefined {
  const taken = new Map<number, number>();
  return (callId) => {
    const found = endOfCall(cursor, callId);
    if (!found) return undefined;
    const at = taken.get(found.index) ?? 0;
    taken.set(found.index, at + 1);
    return found.end.outcome.answers?.[at];
  };
}

/** The recorded result of validation: the arguments as they were used, or the problems with them. */
function validated(cursor: ReplayCursor, name: string, args: ToolArgs): Validation<ToolArgs> {
  const call = cursor.callFor(name, args);
  if (!call) return { ok: true, args };
  const end = endOfCall(cursor, call.id)?.end;
  if (end && hasErrorCode(end.message, "invalid_arguments")) {
    const problems = problemsOf(end);
    if (problems) return { ok: false, problems };
  }
  return { ok: true, args: argsOfCall(cursor, call.id) ?? args };
}

function problemsOf({ message }: SessionEventOf<"tool_end">): string[] | undefined {
  const lines = typeof message.content === "string" ? message.content.split("\n") : [];
  const problems = lines.filter((line) => line.startsWith("- "));
  if (problems.length === 0) return undefined;
  const more = MORE_PROBLEMS.exec(problems.at(-1) ?? "");
  if (!more) return problems.map((line) => line.slice(2));
  // Only the number of omitted problems is known.
  const shown = problems.slice(0, -1).map((line) => line.slice(2));
  return [...shown, ...Array.from({ length: Number(more[1]) }, () => "")];
}

/** The schema that a model with wrong arguments was shown, which is recorded then. */
function schemaOf(cursor: ReplayCursor, name: string): JsonObject {
  const wrong = cursor.findOf(
    "tool_end",
    ({ tool, message }) => tool === name && hasErrorCode(message, "invalid_arguments"),
  );
  const content = wrong?.message.content;
  const line = typeof content === "string" ? (content.split("\n").at(-1) ?? "") : "";
  return line.startsWith("{") ? JSON.parse(line) : { type: "object" };
}
