import { type LoopResult, runLoop } from "../agent/loop.ts";
import type { Runnable, ToolCompletion } from "../agent/tool-batch.ts";
import { abortError, callSafely } from "../errors.ts";
import type { ToolCall, UserMessage } from "../messages/message.ts";
import type { ToolContext } from "../tools/tool.ts";
import { makeRoom } from "./compact.ts";
import { reportContext, type SessionCore } from "./core.ts";
import type { SessionEventBody } from "./events.ts";
import type { ToolExecution } from "./options.ts";
import { toolEndOf, toolStartOf } from "./turn-events.ts";

/** What a turn has beside the session that it belongs to. */
export interface TurnParts {
  running: AbortController;
  /** What a person says while the turn runs; taken at its next step. */
  steering: string[];
}

/** Runs the agent's loop on a session: every step goes through the log before anything follows from it. */
export function runTurnLoop(core: SessionCore, turn: TurnParts): Promise<LoopResult> {
  const { options, clock, log, state, gate, view, tools } = core;
  const { signal } = turn.running;
  const { provider, maxTurns = 0, providerTimeout = 0 } = options;
  return runLoop({
    provider,
    view: view.requests,
    conversation: {
      get messages() {
        return state.messages;
      },
      async addAssistant(message) {
        await log.commit({ type: "assistant_message", message });
        reportContext(core);
      },
    },
    tools,
    signal,
    maxRounds: maxTurns,
    idleTimeoutMs: providerTimeout,
    tracker: view.tracker,
    batch: {
      context: (call) => toolContext(core, call, signal),
      authorize: (call, tool, args) =>
        gate.authorize(call, tool, args, toolContext(core, call, signal)),
      onStart: (calls) => startTools(core, calls),
      onEnd: (completion) => endTool(core, turn, completion),
    },
    onEvent: (event, messageId) => {
      if (event.type === "text_delta") {
        callSafely(() => options.onTextDelta?.(event.delta));
        log.stream({ type: "text_delta", messageId, delta: event.delta });
      } else if (event.type === "thinking_delta") {
        log.stream({ type: "thinking_delta", messageId, delta: event.delta });
      }
    },
    makeRoom: () => makeRoom(core, signal),
    takeInput: () => takeSteering(core, turn.steering),
    ...clock,
  });
}

function toolContext(core: SessionCore, call: ToolCall, signal: AbortSignal): ToolContext {
  const { platform, state, sessionId, log, toolState, memory } = core;
  return {
    platform,
    cwd: state.cwd,
    signal,
    toolCallId: call.id,
    ownerPath: [
      { ownerType: "session", ownerId: sessionId },
      { ownerType: "tool", ownerId: call.id },
    ],
    emit: ({ text, stream }) => {
      // What a tool says after it was stopped belongs to no turn any more.
      if (signal.aborted) return;
      log.stream({ type: "tool_output", toolCallId: call.id, text, ...(stream ? { stream } : {}) });
    },
    state: toolState,
    memory,
  };
}

async function startTools(
  { log, options }: SessionCore,
  calls: readonly Runnable[],
): Promise<void> {
  await log.commit(...calls.map(toolStartOf));
  for (const { tool, args } of calls) {
    callSafely(() =>
      options.onToolExecution?.({ phase: "start", toolName: tool.name, toolArgs: args }),
    );
  }
}

async function endTool(
  { log, options, memory }: SessionCore,
  { running }: TurnParts,
  completion: ToolCompletion,
): Promise<void> {
  try {
    await memory.record((changes) => log.commit(toolEndOf(completion, changes)));
  } catch (error) {
    // Nothing may follow from a step that is not on record.
    running.abort(abortError());
    throw error;
  }
  const { call, result, denied } = completion;
  const execution: ToolExecution = {
    phase: "end",
    toolName: call.name,
    toolArgs: call.args,
    success: result.success,
    ...(denied ? { denied } : {}),
    ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
    toolResultData:
      typeof result.output === "string" ? result.output : JSON.stringify(result.output),
  };
  callSafely(() => options.onToolExecution?.(execution));
}

async function takeSteering({ clock, log }: SessionCore, steering: string[]): Promise<boolean> {
  const count = steering.length;
  if (count === 0) return false;
  await log.commit(
    ...steering.map((content): SessionEventBody => {
      const timestamp = new Date(clock.now());
      const message: UserMessage = { role: "user", id: clock.randomUUID(), timestamp, content };
      return { type: "user_message", message };
    }),
  );
  steering.splice(0, count);
  return true;
}
