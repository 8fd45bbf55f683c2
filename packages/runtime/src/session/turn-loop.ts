import { type LoopResult, runLoop } from "../agent/loop.ts";
import type { Runnable, ToolCompletion } from "../agent/tool-batch.ts";
import type { ContextTracker } from "../context/tracker.ts";
import { callSafely } from "../errors.ts";
import type { ToolCall, UserMessage } from "../messages/message.ts";
import type { RequestView } from "../messages/project.ts";
import type { Platform } from "../ports/platform.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { SessionEventBody } from "./events.ts";
import type { PermissionGate } from "./gate.ts";
import type { SessionLog } from "./log.ts";
import type { SessionOptions, ToolExecution } from "./options.ts";
import type { SessionMemory } from "./memory.ts";
import type { SessionState } from "./state.ts";
import { toolEndOf, toolStartOf } from "./turn-events.ts";

/** The parts of a session that a turn works with. */
export interface TurnParts {
  options: SessionOptions;
  platform: Platform;
  clock: { now: () => number; randomUUID: () => string };
  sessionId: string;
  log: SessionLog;
  state: SessionState;
  gate: PermissionGate;
  tools: ReadonlyMap<string, Tool>;
  toolState: Map<string, unknown>;
  memory: SessionMemory;
  tracker: ContextTracker;
  view: RequestView;
  /** What a person says while the turn runs; taken at its next step. */
  steering: string[];
  /** Ends the turn's tools, when a step can't be recorded. */
  abort: () => void;
  /** Tells how full the window is. */
  reportContext: () => void;
  signal: AbortSignal;
}

/** Runs the agent's loop on a session: every step goes through the log before anything follows from it. */
export function runTurnLoop(parts: TurnParts): Promise<LoopResult> {
  const { options, clock, log, state, gate, signal } = parts;
  const { provider, maxTurns = 0, providerTimeout = 0 } = options;
  return runLoop({
    provider,
    view: parts.view,
    conversation: {
      get messages() {
        return state.messages;
      },
      async addAssistant(message) {
        await log.commit({ type: "assistant_message", message });
        parts.reportContext();
      },
    },
    tools: parts.tools,
    signal,
    maxRounds: maxTurns,
    idleTimeoutMs: providerTimeout,
    tracker: parts.tracker,
    batch: {
      context: (call) => toolContext(parts, call),
      authorize: (call, tool, args) => gate.authorize(call, tool, args, toolContext(parts, call)),
      onStart: (calls) => startTools(parts, calls),
      onEnd: (completion) => endTool(parts, completion),
    },
    onEvent: (event, messageId) => {
      if (event.type === "text_delta") {
        callSafely(() => options.onTextDelta?.(event.delta));
        log.stream({ type: "text_delta", messageId, delta: event.delta });
      } else if (event.type === "thinking_delta") {
        log.stream({ type: "thinking_delta", messageId, delta: event.delta });
      }
    },
    takeInput: () => takeSteering(parts),
    ...clock,
  });
}

function toolContext(parts: TurnParts, call: ToolCall): ToolContext {
  const { platform, state, signal, sessionId, log, toolState, memory } = parts;
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

async function startTools({ log, options }: TurnParts, calls: readonly Runnable[]): Promise<void> {
  await log.commit(...calls.map(toolStartOf));
  for (const { tool, args } of calls) {
    callSafely(() =>
      options.onToolExecution?.({ phase: "start", toolName: tool.name, toolArgs: args }),
    );
  }
}

async function endTool(parts: TurnParts, completion: ToolCompletion): Promise<void> {
  const { log, options, memory } = parts;
  try {
    await memory.record((changes) => log.commit(toolEndOf(completion, changes)));
  } catch (error) {
    parts.abort();
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

async function takeSteering({ steering, clock, log }: TurnParts): Promise<boolean> {
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
