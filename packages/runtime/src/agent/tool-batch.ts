import { ABORT_GRACE_MS, errorMessage, isAbortError, StorageError } from "../errors.ts";
import type { ToolArgs, ToolCall, ToolMessage } from "../messages/message.ts";
import { hasErrorCode, type ToolErrorCode } from "../messages/tool-error-code.ts";
import { settledAfterAbort } from "../abort.ts";
import { boundOutput, OUTPUT_LIMIT } from "../tools/text-limit.ts";
import { reasonOf, toToolResult } from "../tools/tool-result.ts";
import { invalidArgumentsText } from "../tools/validate-args.ts";
import type { Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { checkCall } from "./check-call.ts";
import { MAX_CONCURRENT_TOOLS, RESULT_SKIPPED } from "./limits.ts";

/** The decision whether a call may run, and with which arguments. */
export type Authorization =
  /** `note`: a remark of the person for the model, shown with the result. */
  | { allow: true; args: ToolArgs; note?: string | undefined }
  | { allow: false; content: string; errorCode: ToolErrorCode };

/** An answered call: the message for the model, and the outcome. */
export interface ToolCompletion {
  call: ToolCall;
  message: ToolMessage;
  result: ToolResult;
  denied: boolean;
  durationMs: number;
}

/** A call that may run, with the arguments as they were approved. */
export interface Runnable {
  call: ToolCall;
  tool: Tool;
  args: ToolArgs;
  note?: string | undefined;
}

interface Refused {
  call: ToolCall;
  result: ToolResult;
  denied: boolean;
}

export interface ToolBatch {
  calls: readonly ToolCall[];
  tools: ReadonlyMap<string, Tool>;
  signal: AbortSignal;
  context(call: ToolCall): ToolContext;
  /** Asked in call order, before anything of the batch runs. */
  authorize?(call: ToolCall, tool: Tool, args: ToolArgs): Promise<Authorization> | Authorization;
  /** Awaited before a tool's effects may begin. */
  onStart?(calls: readonly Runnable[]): Promise<void> | void;
  /** Called in call order, exactly once for every call. */
  onEnd(completion: ToolCompletion): Promise<void> | void;
  /** Reports whether the window has room for another result; after the first `false`, the rest is skipped. */
  hasRoom?(): boolean;
  now: () => number;
  randomUUID: () => string;
}

/** The outcome of a batch's results. */
export interface ToolResultsOutcome {
  /** True when the window was too full for another result. */
  contextOverflowed: boolean;
  /** Results that the model reads. */
  addedCount: number;
  /** Results that found no room: the model reads that they were left out. */
  skippedCount: number;
  /** Calls that were run, with whatever outcome; the others were refused. */
  ranCount: number;
}

type Planned = Runnable | Refused;

/**
 * Answers every call of a batch: asks for permission in order, runs the allowed calls, delivers results in order. Never
 * rejects because of a tool.
 */
export async function runToolBatch(batch: ToolBatch): Promise<ToolResultsOutcome> {
  const planned: Planned[] = [];
  for (const call of batch.calls) planned.push(await plan(batch, call));

  const ranCount = planned.filter((entry) => "tool" in entry).length;
  const outcome = { contextOverflowed: false, addedCount: 0, skippedCount: 0, ranCount };
  // Waves instead of a pool: the order of starts and ends is then independent of the tools' speed.
  for (let at = 0; at < planned.length; at += MAX_CONCURRENT_TOOLS) {
    const wave = planned.slice(at, at + MAX_CONCURRENT_TOOLS);
    const runnable = wave.filter((entry) => "tool" in entry);
    if (runnable.length > 0 && !batch.signal.aborted) await batch.onStart?.(runnable);
    const running = wave.map((entry) =>
      "tool" in entry ? run(batch, entry) : answered(batch, entry),
    );
    try {
      for (const pending of running) {
        const completion = await pending;
        if (outcome.contextOverflowed) {
          outcome.skippedCount += 1;
          await batch.onEnd(skipped(completion));
          continue;
        }
        outcome.addedCount += 1;
        await batch.onEnd(completion);
        outcome.contextOverflowed = batch.hasRoom?.() === false;
      }
    } finally {
      // A result that can't be recorded must not leave its siblings running after the turn's end.
      await Promise.allSettled(running);
    }
  }
  return outcome;
}

async function plan(batch: ToolBatch, call: ToolCall): Promise<Planned> {
  const refuse = (output: string, errorCode: ToolErrorCode, denied = false): Planned => ({
    call,
    denied,
    result: { success: false, output, error: output, errorCode },
  });
  if (batch.signal.aborted) return refuse("Aborted before it ran.", "aborted");
  const tool = batch.tools.get(call.name);
  if (!tool) {
    const names = [...batch.tools.keys()].join(", ");
    return refuse(
      `There is no tool "${call.name}", so the call was not run. Tools: ${names || "none"}.`,
      "unknown_tool",
    );
  }
  try {
    const valid = await checkCall(tool, call);
    if (!valid.ok) return refuse(invalidArgumentsText(tool, valid.problems), "invalid_arguments");
    const { args } = valid;
    const asked = batch.authorize?.(call, tool, args) ?? { allow: true, args };
    const settled =
      "then" in asked
        ? await settledAfterAbort(asked, batch.signal, ABORT_GRACE_MS)
        : { value: asked };
    if (!settled) return refuse("Aborted before it ran.", "aborted");
    const answer = settled.value;
    if (answer.allow) {
      return { call, tool, args: answer.args, note: answer.note };
    }
    return refuse(answer.content, answer.errorCode, !hasErrorCode(answer, "aborted"));
  } catch (error) {
    if (isAbortError(error)) return refuse("Aborted before it ran.", "aborted");
    // A failure to record ends the turn; a failed check only ends the call, and never allows it.
    if (error instanceof StorageError) throw error;
    return refuse(`The call was not run: ${errorMessage(error)}`, "check_failed", true);
  }
}

async function run(
  batch: ToolBatch,
  { call, tool, args, note }: Runnable,
): Promise<ToolCompletion> {
  const started = performance.now();
  const context = batch.context(call);
  const result = batch.signal.aborted
    ? failure("Aborted before it ran.", "aborted")
    : await settle(batch, async () => tool.execute(args, context));
  const shown = tool.limitsOutput ? result : await withinBounds(result, context);
  return completion(
    batch,
    call,
    note ? withNote(shown, note) : shown,
    false,
    performance.now() - started,
  );
}

function withNote(result: ToolResult, note: string): ToolResult {
  const text = `The person who allowed this call adds: ${note}`;
  const { output } = result;
  return {
    ...result,
    output:
      typeof output === "string" ? `${output}\n\n${text}` : [...output, { type: "text", text }],
  };
}

async function withinBounds(result: ToolResult, context: ToolContext): Promise<ToolResult> {
  if (typeof result.output !== "string" || result.output.length <= OUTPUT_LIMIT) return result;
  return { ...result, output: (await boundOutput(result.output, context)).text };
}

/** The tool's result, its failure as a result, or an `aborted` result when it does not settle after an abort. */
async function settle(
  batch: ToolBatch,
  execute: () => Promise<ToolResult | string>,
): Promise<ToolResult> {
  try {
    const settled = await settledAfterAbort(execute(), batch.signal, ABORT_GRACE_MS);
    if (!settled) return failure("Aborted while it ran.", "aborted");
    return toToolResult(settled.value);
  } catch (error) {
    if (isAbortError(error)) return failure("Aborted while it ran.", "aborted");
    const failed = failure(reasonOf(error), "tool_failed");
    const code = (error as { code?: unknown } | null)?.code;
    return typeof code === "string" ? { ...failed, errorCode: code } : failed;
  }
}

async function answered(batch: ToolBatch, entry: Refused): Promise<ToolCompletion> {
  return completion(batch, entry.call, entry.result, entry.denied, 0);
}

function completion(
  batch: ToolBatch,
  call: ToolCall,
  result: ToolResult,
  denied: boolean,
  durationMs: number,
): ToolCompletion {
  const message: ToolMessage = {
    role: "tool",
    id: batch.randomUUID(),
    timestamp: new Date(batch.now()),
    toolCallId: call.id,
    name: call.name,
    content: result.output,
  };
  if (!result.success) {
    message.isError = true;
    message.errorCode = result.errorCode ?? ("tool_failed" satisfies ToolErrorCode);
  }
  return { call, message, result, denied, durationMs };
}

function skipped(completed: ToolCompletion): ToolCompletion {
  const message = {
    ...completed.message,
    content: RESULT_SKIPPED,
    isError: true,
    errorCode: "result_skipped" satisfies ToolErrorCode,
  };
  return { ...completed, message };
}

function failure(output: string, errorCode: ToolErrorCode): ToolResult {
  return { success: false, output, error: output, errorCode };
}
