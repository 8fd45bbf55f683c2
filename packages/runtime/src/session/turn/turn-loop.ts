import type { Attempt, AgentRun } from "../../agent/agent-run.ts";
import { runLoop } from "../../agent/loop.ts";
import { callSafely } from "../../errors.ts";
import { contentText, type ToolArgs, type UserMessage } from "../../messages/message.ts";
import type { ChatOptions } from "../../providers/provider.ts";
import type { ModelAnswer } from "../../tools/tool.ts";
import { compactIfNeeded } from "./compact.ts";
import { reportContext, type SessionCore } from "../core.ts";
import { offeredWebTools } from "./native-web.ts";
import type { SessionEventBody } from "../log/events.ts";
import { modelsFor } from "./tool-models.ts";
import {
  authorizeCall,
  callTools,
  endTool,
  endTurn,
  startTools,
  toolContext,
} from "./turn-tools.ts";

/** Hooks that want an answer to go on are heard so often in one turn. */
const MAX_CONTINUATIONS = 8;

/** What a turn has beside the session that it belongs to. */
export interface TurnParts {
  running: AbortController;
  /** Plugins, budget and events. */
  watched: AgentRun;
  /** What a person says while the turn runs; taken at its next step. */
  steering: string[];
  /** By call that has started: the arguments as they were approved. */
  args: Map<string, ToolArgs>;
  /** By call: what hooks add to its result. */
  contexts: Map<string, string[]>;
  /** By call that runs: what the model answered its own questions. */
  answers: Map<string, ModelAnswer[]>;
  /** How often hooks made the turn go on. */
  continuations: number;
  /** An answer that calls tools, on its way to the record. */
  calling?: { recorded: Promise<void>; failure?: unknown };
}

/** Runs the agent's loop on a session: every step goes through the log before anything follows from it. */
export function runTurnLoop(core: SessionCore, turn: TurnParts): Promise<Attempt> {
  const { options, clock, log, state, view, tools } = core;
  const { watched } = turn;
  const calls = core.recorder?.calls;
  const { signal } = turn.running;
  const { provider, maxTurns = 0, providerTimeout = 0, progressTimeout, callTimeout } = options;
  return runLoop({
    provider,
    view: view.requests,
    conversation: {
      get messages() {
        return state.messages;
      },
      async addAssistant(message) {
        const event = { type: "assistant_message", message } as const;
        // A hook may do something, and nothing is done because of an answer that is not on record.
        if (message.toolCalls && !core.hooks.has("PreToolUse")) return callTools(core, turn, event);
        await log.commit(event);
        reportContext(core);
      },
    },
    tools,
    signal,
    maxRounds: maxTurns,
    idleTimeoutMs: providerTimeout,
    ...(progressTimeout === undefined ? {} : { progressTimeoutMs: progressTimeout }),
    ...(callTimeout === undefined ? {} : { callTimeoutMs: callTimeout }),
    tracker: view.tracker,
    // Anew for each call: an answer to a question may have let the service search.
    get chatOptions(): ChatOptions {
      return {
        ...offeredWebTools(core),
        ...(calls && { onProviderNativeRawPayload: (payload) => calls.native(payload) }),
      };
    },
    ...(calls && {
      onRequest: (request) => calls.request(request),
      onResponse: (answer) => calls.answered(answer),
      onCallFailed: (cause) => calls.failed(cause),
    }),
    batch: {
      context: (call) => ({
        ...toolContext(core, turn, call),
        ...modelsFor(core, turn, call),
      }),
      authorize: (call, tool, args) =>
        watched.authorize(call, tool, args, (wanted) =>
          authorizeCall(core, turn, call, tool, wanted),
        ),
      onStart: (calls) => startTools(core, turn, calls),
      onEnd: (completion) => endTool(core, turn, completion),
    },
    onEvent: (event, messageId) => {
      calls?.event(event);
      if (event.type === "text_delta") {
        callSafely(() => options.onTextDelta?.(event.delta));
        watched.onTextDelta(event.delta);
        log.stream({ type: "text_delta", messageId, delta: event.delta });
      } else if (event.type === "thinking_delta") {
        log.stream({ type: "thinking_delta", messageId, delta: event.delta });
      }
    },
    refuseCall: watched.refuseCall,
    onAnswer: (message) => {
      // One that was cut here never came as a whole.
      calls?.answered(message);
      watched.onAnswer(message);
    },
    onToolResults: (outcome) => watched.onToolResults(outcome),
    compactIfNeeded: () => compactIfNeeded(core, signal),
    takeInput: async () => (await takeSteering(core, turn)) || goesOn(core, turn),
    ...clock,
  });
}

async function takeSteering(core: SessionCore, { steering }: TurnParts): Promise<boolean> {
  const count = steering.length;
  if (count === 0) return false;
  await core.log.commit(...steering.map((content) => userMessage(core, content)));
  steering.splice(0, count);
  return true;
}

/** Whether a hook wants the agent to go on where its answer would end the turn. */
async function goesOn(core: SessionCore, turn: TurnParts): Promise<boolean> {
  const { hooks, state, log } = core;
  const answer = state.messages.at(-1);
  const isFinal =
    answer?.role === "assistant" &&
    !answer.toolCalls &&
    !answer.error &&
    answer.state === "complete";
  if (!isFinal || !hooks.has("Stop") || turn.continuations >= MAX_CONTINUATIONS) return false;
  const response = contentText(answer.content);
  const stop_hook_active = turn.continuations > 0;
  const fields = { stop_hook_active, last_assistant_message: response, response };
  const { signal } = turn.running;
  const said = await hooks.run("Stop", fields, signal).catch((error: unknown) => {
    // The answer stands, although nobody heard of it.
    if (signal.aborted) return undefined;
    throw error;
  });
  if (said?.stopped) endTurn(core, turn, said.stopReason);
  if (!said?.blocked) return false;
  turn.continuations += 1;
  await log.commit(userMessage(core, said.reason ?? "Go on."));
  return true;
}

function userMessage({ clock }: SessionCore, content: string): SessionEventBody {
  const timestamp = new Date(clock.now());
  const message: UserMessage = { role: "user", id: clock.randomUUID(), timestamp, content };
  return { type: "user_message", message };
}
