import type { RunAttempt } from "../../agent/agent-run.ts";
import { ROUND_SEPARATOR, runLoop } from "../../agent/loop.ts";
import { requireLimits } from "../../agent/require-input.ts";
import { callSafely } from "../../errors.ts";
import type { Conversation } from "../../agent/conversation.ts";
import {
  type AssistantMessage,
  contentText,
  type Message,
  type UserMessage,
} from "../../messages/message.ts";
import type { ChatOptions } from "../../providers/provider.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ReportParts } from "../agents/take-reports.ts";
import type { SessionEventBody } from "../log/events.ts";
import type { ModelRetry } from "../log/notes.ts";
import type { SessionOptions } from "../options.ts";
import { reportContext } from "../state/report-context.ts";
import { callBounds } from "../call-bounds.ts";
import type { CompactionParts } from "./compact.ts";
import { compactIfNeeded } from "./compact-if-needed.ts";
import { type NativeWebParts, offeredWebTools } from "./native-web.ts";
import type { RunningTurn } from "./running-turn.ts";
import { modelsFor, type ToolModelParts } from "./tool-models.ts";
import {
  authorizeCall,
  endTool,
  endTurn,
  pauseOver,
  recordWithNext,
  startTools,
  type ToolCallParts,
  toolContext,
} from "./turn-tools.ts";

/** Limit of continuations that hooks can cause in one turn. */
const MAX_CONTINUATIONS = 8;

export type TurnLoopParts = ToolCallParts &
  ReportParts &
  ToolModelParts &
  CompactionParts &
  NativeWebParts & {
    readonly options: Pick<
      SessionOptions,
      | "contextWindow"
      | "eventService"
      | "maxTurns"
      | "onPluginError"
      | "onTextDelta"
      | "plugins"
      | "prepareRound"
      | "responseFormat"
    >;
    readonly tools: ReadonlyMap<string, Tool>;
  };

/**
 * Runs the agent's loop on a session: every step is logged before its consequences. The model that a skill of the turn
 * chooses is the turn's alone.
 */
export async function runTurnLoop(parts: TurnLoopParts, turn: RunningTurn): Promise<RunAttempt> {
  const { tracker } = parts.requestContext;
  const { maxTokens } = tracker;
  try {
    if (parts.state.turn?.skillModel) {
      const { useSkillWindow } = await import("./skill-model.ts");
      useSkillWindow(parts);
    }
    return await runRounds(parts, turn);
  } finally {
    tracker.maxTokens = maxTokens;
  }
}

async function runRounds(parts: TurnLoopParts, turn: RunningTurn): Promise<RunAttempt> {
  const { options, clock, log, state, requestContext, tools } = parts;
  const { agentRun } = turn;
  const calls = parts.tracer?.calls;
  const { signal } = turn.running;
  const { provider, maxTurns = 0, providerTimeout, progressTimeout, callTimeout } = options;
  const { contextWindow } = options;
  requireLimits({ maxTurns, providerTimeout, progressTimeout, callTimeout, contextWindow });
  if (options.prepareRound) await options.prepareRound(signal);
  // A skill of the turn may have brought rules.
  await parts.approvals.rules.open();
  return runLoop({
    provider,
    view: requestContext.requests,
    conversation: new TurnConversation(parts, turn),
    tools,
    signal,
    maxRounds: maxTurns,
    roundsBefore: turn.resumed?.rounds,
    ...callBounds(options),
    tracker: requestContext.tracker,
    // An approval may have enabled the service's search since the last call.
    chatOptions: () => callOptions(parts),
    ...(calls && {
      onRequest: (request) => calls.request(request),
      onResponse: (answer) => calls.answered(answer),
      onCallFailed: (cause) => calls.failed(cause),
    }),
    batch: {
      context: (call) => ({
        ...toolContext(parts, turn, call),
        ...modelsFor(parts, turn, call),
      }),
      authorize: (call, tool, args) =>
        agentRun.authorize(call, tool, args, (wanted) =>
          authorizeCall(parts, turn, call, tool, wanted),
        ),
      onStart: (calls) => startTools(parts, turn, calls),
      onEnd: (completion) => endTool(parts, turn, completion),
    },
    onEvent: (event, messageId) => {
      calls?.event(event);
      if (event.type === "text_delta") {
        const { type, delta } = event;
        if (options.onTextDelta) callSafely(() => options.onTextDelta?.(delta));
        agentRun.onTextDelta(delta);
        // The loop's own event: a replayed model doesn't say it, so it must not join the words of its answer.
        if (delta === ROUND_SEPARATOR) log.stream({ type, messageId, delta });
        else log.streamWords({ type, messageId, delta });
      } else if (event.type === "thinking_delta") {
        log.streamWords({ type: "thinking_delta", messageId, delta: event.delta });
      }
    },
    refuseCall: agentRun.refuseCall,
    onAnswer: (message) => {
      // An interrupted answer never came as a whole.
      calls?.answered(message);
      agentRun.onAnswer(message, state.turn?.skillModel?.model);
    },
    onToolResults: (outcome) => agentRun.onToolResults(outcome),
    compactIfNeeded: () => compactIfNeeded(parts, signal),
    takeInput: async () => {
      if (parts.pause) await pauseOver(parts, turn);
      if (options.prepareRound) await options.prepareRound(signal);
      const hasReports = parts.state.agents.length > 0 && (await takeReports(parts));
      const isSteered = turn.steering.length > 0 && (await takeSteering(parts, turn));
      if (isSteered || hasReports) return true;
      return parts.hooks.has("Stop") && continuesAfterStop(parts, turn);
    },
    ...clock,
  });
}

/**
 * The conversation of a session, as its turn sees and continues it. A class: an object literal with an accessor makes a
 * hidden class of its own each time, and all that the accessor sees stays until the next full garbage collection.
 */
class TurnConversation implements Conversation {
  readonly #parts: TurnLoopParts;
  readonly #turn: RunningTurn;

  constructor(parts: TurnLoopParts, turn: RunningTurn) {
    this.#parts = parts;
    this.#turn = turn;
  }

  get messages(): readonly Message[] {
    return this.#parts.state.messages;
  }

  async addAssistant(message: AssistantMessage): Promise<void> {
    const parts = this.#parts;
    if (mayShareWrite(parts, this.#turn, message))
      return recordWithNext(parts, this.#turn, message);
    await parts.log.commit({ type: "assistant_message", message });
    reportContext(parts);
  }
}

/**
 * True for an answer that can be recorded together with its calls, or with the turn's end: nobody acts on it before.
 * Hooks, plugins and listeners may have side effects, which must not precede the record of the answer that caused them.
 */
function mayShareWrite(
  { hooks, options, state }: TurnLoopParts,
  { steering }: RunningTurn,
  { toolCalls, state: completion, error, content }: AssistantMessage,
): boolean {
  if (toolCalls) return !hooks.has("PreToolUse");
  const isFinal = completion === "complete" && !error && contentText(content).trim() !== "";
  const hasPlugins = (options.plugins?.length ?? 0) > 0;
  const isHeard = hooks.has("Stop") || hasPlugins || options.eventService;
  // The window of a skill's model ends with the turn, and the answer is reported in it.
  const hasOwnWindow = state.turn?.skillModel?.model !== undefined;
  const isAwaited = isHeard || hasOwnWindow || state.agents.length > 0 || steering.length > 0;
  return isFinal && !isAwaited;
}

function callOptions(parts: TurnLoopParts): ChatOptions {
  const { state, log, options, tracer } = parts;
  const calls = tracer?.calls;
  return {
    ...offeredWebTools(parts),
    responseFormat: state.turn?.responseFormat ?? options.responseFormat,
    ...state.turn?.skillModel,
    onRetry: ({ retry, of, waitMs, error: { code, message } }) => {
      const data: ModelRetry = { retry, of, waitMs, code, message };
      log.stream({ type: "note", kind: "model-retry", data }, { transient: true });
    },
    onProviderNativeRawPayload: calls && ((payload) => calls.native(payload)),
  };
}

async function takeReports(parts: ReportParts): Promise<boolean> {
  const reports = await import("../agents/take-reports.ts");
  return reports.takeReports(parts);
}

async function takeSteering(parts: TurnLoopParts, { steering }: RunningTurn): Promise<boolean> {
  const count = steering.length;
  await parts.log.commit(...steering.map((content) => userMessage(parts, content)));
  steering.splice(0, count);
  return true;
}

/** Resolves to true when a hook wants the agent to go on after a final answer. */
async function continuesAfterStop(parts: TurnLoopParts, turn: RunningTurn): Promise<boolean> {
  const { hooks, state, log } = parts;
  const answer = state.messages.at(-1);
  const isFinal =
    answer?.role === "assistant" &&
    !answer.toolCalls &&
    !answer.error &&
    answer.state === "complete";
  if (!isFinal || turn.continuations >= MAX_CONTINUATIONS) return false;
  const response = contentText(answer.content);
  const stop_hook_active = turn.continuations > 0;
  const fields = { stop_hook_active, last_assistant_message: response, response };
  const { signal } = turn.running;
  const outcome = await hooks.run("Stop", fields, signal).catch((error: unknown) => {
    // The answer stands after an abort, although no hook saw it.
    if (signal.aborted) return undefined;
    throw error;
  });
  if (outcome?.stopped) endTurn(parts, turn, outcome.stopReason);
  if (!outcome?.blocked) return false;
  turn.continuations += 1;
  await log.commit(userMessage(parts, outcome.reason ?? "Go on."));
  return true;
}

function userMessage({ clock }: TurnLoopParts, content: string): SessionEventBody {
  const timestamp = new Date(clock.now());
  const message: UserMessage = { role: "user", id: clock.randomUUID(), timestamp, content };
  return { type: "user_message", message };
}
