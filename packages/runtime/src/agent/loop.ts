import type { ContextTracker } from "../context/tracker.ts";
import { RobotaError } from "../errors.ts";
import {
  type AssistantMessage,
  contentText,
  type TokenUsage,
  type ToolCall,
} from "../messages/message.ts";
import { type RequestView, unansweredCalls } from "../messages/project.ts";
import type { ChatOptions, Provider, ProviderEvent } from "../providers/provider.ts";
import type { Tool } from "../tools/tool.ts";
import type { Conversation } from "./conversation.ts";
import { callProvider, ProviderCallFailure } from "./provider-call.ts";
import { runToolBatch, type ToolBatch } from "./tool-batch.ts";

/** Share of the window above which nothing more is sent. */
const CONTEXT_LIMIT = 0.835;
/** Share of the window above which tool results are left out. */
const TOOL_RESULT_LIMIT = 0.8;
export const MAX_ROUNDS_FALLBACK =
  "Maximum rounds reached. Partial results available in conversation history.";
const CONTEXT_FULL =
  "The conversation has nearly filled the model's context window. Run /compact to summarise it, or start a new session.";
const FINAL_ANSWER_REQUEST =
  "You have reached the limit of tool rounds. Answer now with what you have, say plainly what is incomplete, and note that the user can follow up to continue.";
const ROUND_SEPARATOR = "\n\n";
/** Rounds in a row in which no call could be run, after which the model is asked for an answer instead. */
const MAX_FRUITLESS_ROUNDS = 3;

export interface LoopOptions {
  provider: Provider;
  conversation: Conversation;
  tools: ReadonlyMap<string, Tool>;
  /** What the provider gets of the conversation; kept by the owner so that a run pays only for what is new. */
  view: RequestView;
  signal: AbortSignal;
  /** Rounds of tools after which an answer is asked for without them; 0 for no limit. */
  maxRounds: number;
  idleTimeoutMs: number;
  tracker: ContextTracker;
  chatOptions?: ChatOptions;
  batch: Pick<ToolBatch, "context" | "authorize" | "onStart"> & { onEnd: ToolBatch["onEnd"] };
  onEvent(event: Exclude<ProviderEvent, { type: "message" }>, messageId: string): void;
  /** Called between rounds and before the run would end: adds what a person said meanwhile, and says whether it did. */
  takeInput?(): Promise<boolean>;
  /** Called when the window is too full to go on; `true` when there is room again. */
  makeRoom?(): Promise<boolean>;
  now: () => number;
  randomUUID: () => string;
}

/** How a run ended. Provider failures are results here; only a failing conversation (storage) rejects. */
export interface LoopResult {
  text: string;
  interrupted: boolean;
  error?: unknown;
  rounds: number;
  usage: TokenUsage;
}

/** Asks the model, answers the tools it calls, and asks again until it calls none. Begins with calls still unanswered. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { conversation, signal } = options;
  const usage: TokenUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  let rounds = 0;
  let fruitless = 0;
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
  for (;;) {
    if (signal.aborted) return ended();
    const isLast =
      (options.maxRounds > 0 && rounds >= options.maxRounds) || fruitless >= MAX_FRUITLESS_ROUNDS;
    if (options.tracker.isOver(CONTEXT_LIMIT) && !(await options.makeRoom?.())) {
      text = CONTEXT_FULL;
      await conversation.addAssistant(ownWords(options, text));
      return ended();
    }
    const messageId = options.randomUUID();
    if (rounds > 0) options.onEvent({ type: "text_delta", delta: ROUND_SEPARATOR }, messageId);
    rounds += 1;
    let message: AssistantMessage;
    try {
      message = await request(options, messageId, isLast);
    } catch (failure) {
      if (!(failure instanceof ProviderCallFailure)) throw failure;
      if (isLast) {
        if (failure.partial) await conversation.addAssistant(failure.partial);
        text = MAX_ROUNDS_FALLBACK;
        await conversation.addAssistant(ownWords(options, text));
        return ended();
      }
      return ended({ error: await reportFailure(options, failure) });
    }
    addUsage(usage, message.usage);
    if (isLast && contentText(message.content).trim() === "" && !signal.aborted) {
      message = { ...message, content: MAX_ROUNDS_FALLBACK };
    }
    const calls = message.state === "complete" && !isLast ? soundCalls(options, message) : [];
    message = withCalls(message, calls);
    if (message.state === "complete" || contentText(message.content) !== "") {
      await conversation.addAssistant(message);
    }
    text = contentText(message.content);
    if (message.error) return ended({ error: message.error });
    if (calls.length > 0) fruitless = (await answer(options, calls)) > 0 ? 0 : fruitless + 1;
    const hasInput = !signal.aborted && (await options.takeInput?.()) === true;
    if (calls.length === 0 && !hasInput) return ended();
  }
}

/** One provider call; the last one of a run that reached its limit has no tools and asks for an answer. */
function request(
  options: LoopOptions,
  messageId: string,
  isLast: boolean,
): Promise<AssistantMessage> {
  const { provider, conversation, signal, idleTimeoutMs, now } = options;
  let messages = options.view.update(conversation.messages);
  const chatOptions: ChatOptions = { ...options.chatOptions };
  if (isLast) {
    const timestamp = new Date(now());
    messages = [
      ...messages,
      { role: "user", id: `${messageId}-request`, timestamp, content: FINAL_ANSWER_REQUEST },
    ];
  } else if (options.tools.size > 0) {
    chatOptions.tools = [...options.tools.values()];
  }
  return callProvider({
    provider,
    messages,
    options: chatOptions,
    signal,
    idleTimeoutMs,
    messageId,
    now,
    onEvent: (event) => {
      if (event.type !== "message") options.onEvent(event, messageId);
    },
  });
}

/** Resolves to how many of the calls were run. */
async function answer(options: LoopOptions, calls: readonly ToolCall[]): Promise<number> {
  const { ranCount } = await runToolBatch({
    ...options.batch,
    calls,
    tools: options.tools,
    signal: options.signal,
    hasRoom: () => !options.tracker.isOver(TOOL_RESULT_LIMIT),
    now: options.now,
    randomUUID: options.randomUUID,
  });
  return ranCount;
}

/** Puts a marked message into history, so that a person sees what happened and no model reads it as its own words. */
async function reportFailure(options: LoopOptions, failure: ProviderCallFailure): Promise<unknown> {
  const { cause, partial } = failure;
  const error = {
    code: cause instanceof RobotaError ? cause.code : "PROVIDER_ERROR",
    message: cause instanceof Error ? cause.message : String(cause),
  };
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
  const { toolCalls: _, ...rest } = message;
  return calls.length > 0 ? { ...rest, toolCalls: calls } : rest;
}

function addUsage(total: TokenUsage, usage: TokenUsage | undefined): void {
  if (!usage) return;
  total.inputTokens += usage.inputTokens;
  total.outputTokens += usage.outputTokens;
  total.cacheReadTokens += usage.cacheReadTokens;
  total.cacheWriteTokens += usage.cacheWriteTokens;
}
