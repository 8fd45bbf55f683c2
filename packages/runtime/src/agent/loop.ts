import type { ContextTracker } from "../context/tracker.ts";
import { addUsage, noUsage } from "../context/usage.ts";
import { errorFacts, type RobotaError } from "../errors.ts";
import { loadOnce } from "../load-once.ts";
import {
  type AssistantMessage,
  contentText,
  type TokenUsage,
  type ToolCall,
} from "../messages/message.ts";
import { type RequestView, unansweredCalls } from "../messages/project.ts";
import { asError } from "../messages/reported-error.ts";
import type { ChatOptions, Provider, ProviderEvent, ToolChoice } from "../providers/provider.ts";
import type { Tool } from "../tools/tool.ts";
import type { Conversation } from "./conversation.ts";
import { type CallBounds, callProvider, ProviderCallFailure } from "./provider-call.ts";
import { MAX_ROUNDS_FALLBACK } from "./limits.ts";
import type { ToolBatch, ToolResultsOutcome } from "./tool-batch.ts";

const loadBatch = loadOnce(() => import("./tool-batch.ts"));

/** Share of the window above which nothing more is sent. */
const CONTEXT_LIMIT = 0.835;
/** Share of the window above which tool results are left out. */
const TOOL_RESULT_LIMIT = 0.8;
export const CONTEXT_FULL =
  "The conversation has nearly filled the model's context window. Run /compact to summarise it, or start a new session.";
const FINAL_ANSWER_REQUEST =
  "You have reached the limit of tool rounds. Answer now with what you have, say plainly what is incomplete, and note that the user can follow up to continue.";
const WORDS_REQUEST =
  "Your last answer had no text. Answer now with what you have, say plainly what is incomplete, and note that the user can follow up to continue.";
/** Text between the answers of two rounds. */
export const ROUND_SEPARATOR = "\n\n";
/** Consecutive rounds without a runnable call, after which the model is asked for a final answer. */
const MAX_STALLED_ROUNDS = 3;

/** A provider call that is about to be made. */
export interface LoopRequest {
  /** The id that the answer will have. */
  messageId: string;
  /** A request appended to the conversation for this call only. */
  finalRequest?: string | undefined;
  /** Names of the tools it offers. */
  tools: string[];
  options: ChatOptions;
}

export interface LoopOptions extends CallBounds {
  provider: Provider;
  conversation: Conversation;
  tools: ReadonlyMap<string, Tool>;
  /** The provider's view of the conversation; kept by the owner so that a run pays only for new messages. */
  view: RequestView;
  signal: AbortSignal;
  /** Tool rounds after which the final answer is requested without tools; 0 for no limit. */
  maxRounds: number;
  /** Rounds of a run that was cut, which goes on; its last answer may have been the final one. */
  roundsBefore?: number | undefined;
  tracker: ContextTracker;
  /** Asked before each call. */
  chatOptions?: (() => ChatOptions) | undefined;
  /** Tool choice of the first call only: a model forced to call a tool each time would never end. */
  toolChoice?: ToolChoice | undefined;
  /** A request appended to the first call only, as with `reviseAnswer`. */
  finalRequest?: string | undefined;
  batch: Pick<ToolBatch, "context" | "authorize" | "onStart"> & { onEnd: ToolBatch["onEnd"] };
  onEvent(event: Exclude<ProviderEvent, { type: "message" }>, messageId: string): void;
  /**
   * Called between rounds and before the run would end: appends what the person sent meanwhile, and returns whether
   * there was any.
   */
  takeInput?(): Promise<boolean>;
  /** Called when the window is too full to go on; `true` when there is room again. */
  compactIfNeeded?(): Promise<boolean>;
  /** Called before each provider call: an error ends the run with it. */
  refuseCall?(): RobotaError | undefined;
  /** Called before each provider call. */
  onRequest?(request: LoopRequest): void;
  /** Called with each answer as the provider gave it, unprocessed. */
  onResponse?: ((answer: AssistantMessage) => void) | undefined;
  /** Called with each failed provider call. */
  onCallFailed?(cause: unknown): void;
  /**
   * Called with the number of a batch's results that were added to the conversation, and of those left out for lack of
   * room.
   */
  onToolResults?(outcome: ToolResultsOutcome): void;
  /** Called with each answer of the provider, including interrupted ones. */
  onAnswer?(message: AssistantMessage): void;
  /**
   * Called with the text that the run would end with. A text that it returns goes to the model behind that answer, in one
   * more call without tools, and is not kept.
   */
  reviseAnswer?: ((text: string) => Promise<string | undefined>) | undefined;
  now: () => number;
  randomUUID: () => string;
}

/** The end of a run. Provider failures are results here; only a failing conversation (storage) rejects. */
export interface LoopResult {
  text: string;
  interrupted: boolean;
  error?: unknown;
  rounds: number;
  usage: TokenUsage;
}

/** Asks the model, answers the tools it calls, and asks again until it calls none. Begins with calls still unanswered. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { conversation, signal, roundsBefore = 0 } = options;
  const usage = noUsage();
  let { finalRequest } = options;
  let rounds = 0;
  let stalled = 0;
  let isSilent = false;
  let text = "";
  const ended = (facts: Partial<LoopResult> = {}): LoopResult => ({
    text,
    interrupted: signal.aborted,
    rounds,
    usage,
    ...facts,
  });

  const left = unansweredCalls(conversation.messages);
  if (left.length > 0) await answer(options, left);
  const given = roundsBefore > 0 ? finalAnswer(options) : undefined;
  if (given) {
    text = contentText(given.content);
    if (given.error) return ended({ error: errorIn(options, given) });
    if (signal.aborted || (await options.takeInput?.()) !== true) return ended();
  }
  for (;;) {
    if (signal.aborted) return ended();
    const isSpent =
      (options.maxRounds > 0 && rounds + roundsBefore >= options.maxRounds) ||
      stalled >= MAX_STALLED_ROUNDS;
    const isLast = finalRequest === undefined && (isSpent || isSilent);
    if (isLast) finalRequest = isSilent ? WORDS_REQUEST : FINAL_ANSWER_REQUEST;
    const refusal = options.refuseCall?.();
    if (refusal) return ended({ error: await report(options, refusal) });
    if (options.tracker.isOver(CONTEXT_LIMIT) && !(await options.compactIfNeeded?.())) {
      if (signal.aborted) return ended();
      text = CONTEXT_FULL;
      await conversation.addAssistant(ownWords(options, text));
      return ended();
    }
    // Making room may have spent the rest.
    const spent = options.refuseCall?.();
    if (spent) return ended({ error: await report(options, spent) });
    const messageId = options.randomUUID();
    if (rounds > 0) options.onEvent({ type: "text_delta", delta: ROUND_SEPARATOR }, messageId);
    rounds += 1;
    let message: AssistantMessage;
    try {
      message = await request(options, messageId, { isFirst: rounds === 1, finalRequest });
    } catch (failure) {
      if (!(failure instanceof ProviderCallFailure)) throw failure;
      options.onCallFailed?.(failure.cause);
      if (isLast) {
        if (failure.partial) await conversation.addAssistant(failure.partial);
        text = MAX_ROUNDS_FALLBACK;
        await conversation.addAssistant(ownWords(options, text));
        return ended();
      }
      return ended({ error: await report(options, failure.cause, failure.partial) });
    }
    options.onAnswer?.(message);
    if (message.usage) addUsage(usage, message.usage);
    if (isLast && contentText(message.content).trim() === "" && !signal.aborted) {
      message = { ...message, content: MAX_ROUNDS_FALLBACK };
    }
    const mayCallTools: boolean = message.state === "complete" && finalRequest === undefined;
    const calls: ToolCall[] = mayCallTools ? soundCalls(options, message) : [];
    message = withCalls(message, calls);
    if (message.state === "complete" || contentText(message.content) !== "") {
      await conversation.addAssistant(message);
    }
    text = contentText(message.content);
    if (message.error) return ended({ error: errorIn(options, message) });
    // The final text is empty. With a check on the answer, `reviseAnswer` asks again by itself.
    isSilent = mayCallTools && calls.length === 0 && text.trim() === "" && !options.reviseAnswer;
    if (isSilent) continue;
    if (calls.length > 0) stalled = (await answer(options, calls)) > 0 ? 0 : stalled + 1;
    const hasInput = !signal.aborted && (await options.takeInput?.()) === true;
    finalRequest = undefined;
    if (calls.length > 0 || hasInput) continue;
    if (!signal.aborted) finalRequest = await options.reviseAnswer?.(text);
    if (finalRequest === undefined) return ended();
  }
}

/** The answer that the conversation ends with, when it called no tools: a run that was cut then has nothing to ask. */
function finalAnswer({ conversation }: LoopOptions): AssistantMessage | undefined {
  const last = conversation.messages.at(-1);
  return last?.role === "assistant" && !last.toolCalls ? last : undefined;
}

function errorIn({ provider }: LoopOptions, message: AssistantMessage): unknown {
  return message.error && asError(message.error, message.provider ?? provider.name);
}

/** Makes one provider call. With a `finalRequest`, it offers no tools, and the request is not kept. */
function request(
  options: LoopOptions,
  messageId: string,
  { isFirst, finalRequest }: { isFirst: boolean; finalRequest: string | undefined },
): Promise<AssistantMessage> {
  const { provider, conversation, signal, idleTimeoutMs, now, toolChoice } = options;
  const { progressTimeoutMs, callTimeoutMs } = options;
  let messages = options.view.update(conversation.messages);
  const chatOptions: ChatOptions = { ...options.chatOptions?.() };
  if (finalRequest !== undefined) {
    const timestamp = new Date(now());
    messages = [
      ...messages,
      { role: "user", id: `${messageId}-request`, timestamp, content: finalRequest },
    ];
  } else if (options.tools.size > 0) {
    chatOptions.tools = [...options.tools.values()];
    if (isFirst && toolChoice !== undefined) chatOptions.toolChoice = toolChoice;
  }
  if (options.onRequest) {
    const { tools = [], ...settings } = chatOptions;
    options.onRequest({
      messageId,
      finalRequest,
      tools: tools.map(({ name }) => name),
      options: settings,
    });
  }
  return callProvider({
    provider,
    messages,
    options: chatOptions,
    signal,
    idleTimeoutMs,
    progressTimeoutMs,
    callTimeoutMs,
    messageId,
    now,
    onResponse: options.onResponse,
    onEvent: (event) => {
      if (event.type !== "message") options.onEvent(event, messageId);
    },
  });
}

/** Resolves to how many of the calls were run. */
async function answer(options: LoopOptions, calls: readonly ToolCall[]): Promise<number> {
  const { runToolBatch } = await loadBatch();
  const outcome = await runToolBatch({
    ...options.batch,
    calls,
    tools: options.tools,
    signal: options.signal,
    hasRoom: () => !options.tracker.isOver(TOOL_RESULT_LIMIT),
    now: options.now,
    randomUUID: options.randomUUID,
  });
  options.onToolResults?.(outcome);
  return outcome.ranCount;
}

/** Appends a marked message to the history: shown to the person, never sent to the model as its own words. */
async function report(
  options: LoopOptions,
  cause: unknown,
  partial?: AssistantMessage,
): Promise<unknown> {
  const error = errorFacts(cause);
  const message = partial
    ? { ...partial, error }
    : { ...ownWords(options, `The model could not answer: ${error.message}`), error };
  await options.conversation.addAssistant(message);
  return cause;
}

function ownWords(options: LoopOptions, content: string): AssistantMessage {
  const { randomUUID, now } = options;
  return {
    role: "assistant",
    id: randomUUID(),
    timestamp: new Date(now()),
    content,
    state: "complete",
  };
}

/** Calls with ids, each id once: one that was delivered twice runs once, and another one under its id gets a new id. */
function soundCalls(options: LoopOptions, message: AssistantMessage): ToolCall[] {
  const calls = new Map<string, ToolCall>();
  for (const call of message.toolCalls ?? []) {
    const known = calls.get(call.id);
    if (known && isSameCall(known, call)) continue;
    const id = call.id === "" || known ? options.randomUUID() : call.id;
    calls.set(id, id === call.id ? call : { ...call, id });
  }
  return [...calls.values()];
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
  return (
    a.name === b.name &&
    a.rawArgs === b.rawArgs &&
    JSON.stringify(a.args) === JSON.stringify(b.args)
  );
}

function withCalls(message: AssistantMessage, calls: ToolCall[]): AssistantMessage {
  if (!message.toolCalls && calls.length === 0) return message;
  const { toolCalls: _, ...rest } = message;
  return calls.length > 0 ? { ...rest, toolCalls: calls } : rest;
}
