import { abortError, StorageError } from "../../errors.ts";
import type { AssistantMessage, Message } from "../../messages/message.ts";
import { messageForJson, messageFromJson } from "../../messages/message-json.ts";
import {
  chat,
  type ChatOptions,
  generate,
  type Provider,
  type ProviderEvent,
} from "../../providers/provider.ts";
import { streamEvents } from "../../providers/stream.ts";
import type { CacheEntry, CacheStorage } from "./cache-storage.ts";

/** Options of a call that do not affect the answer. */
const NOT_ASKED = ["signal", "idleTimeoutMs"];

export interface ResponseCacheOptions {
  /** Called when the storage fails, and the call continues uncached. Without it, the call fails. */
  onError?(error: unknown): void;
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

/**
 * A provider that answers repeated requests from `cache`: the same conversation, by role and content, with the same
 * model and options. Only complete answers without tool calls are cached. Tool calls would repeat their effects in a
 * changed world; an interrupted or failed answer is not an answer.
 *
 * A cached answer streams its text at once, has a new id, no `usage` since it cost nothing, and `metadata.cached`. A
 * damaged cache entry is deleted, and the call fails with a `StorageError` of code `CORRUPT`.
 */
export function withResponseCache(
  provider: Provider,
  cache: CacheStorage,
  options: ResponseCacheOptions = {},
): Provider {
  const { now = Date.now, randomUUID = () => crypto.randomUUID() } = options;

  const attempt = async <Value>(work: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (isCorrupt(error) || !options.onError) throw error;
      options.onError(error);
      return undefined;
    }
  };

  const answer = async (
    messages: readonly Message[],
    chatOptions: ChatOptions,
    onEvent: (event: ProviderEvent) => void,
  ): Promise<AssistantMessage> => {
    if (chatOptions.signal?.aborted) throw abortError();
    const key = await responseKey(provider, messages, chatOptions);
    const kept = await attempt(() => read(cache, key));
    if (kept) {
      replay(kept, onEvent);
      const { usage: _, ...rest } = kept;
      const metadata = { ...kept.metadata, cached: true };
      return { ...rest, id: randomUUID(), timestamp: new Date(now()), metadata };
    }
    const message = await generate(provider, messages, chatOptions, onEvent);
    if (isKept(message)) await attempt(() => write(cache, key, message, now()));
    return message;
  };

  const cached: Provider = {
    get name() {
      return provider.name;
    },
    get model() {
      return provider.model;
    },
    chat: (messages, chatOptions) => chat(cached, messages, chatOptions),
    chatStream: (messages, chatOptions) => streamEvents(answer, messages, chatOptions),
    generate: answer,
  };
  if (provider.configureNativeWebTools) {
    cached.configureNativeWebTools = (config) =>
      provider.configureNativeWebTools?.(config) ?? { webSearch: false, chatOptions: {} };
  }
  return cached;
}

/**
 * The cache key, a SHA-256 in hex: provider, model, options, and roles and content of the messages. Times, ids and
 * usage don't count; ids of tool calls count by position, which is how results belong to calls.
 */
export async function responseKey(
  provider: Pick<Provider, "name" | "model">,
  messages: readonly Message[],
  options: ChatOptions = {},
): Promise<string> {
  const { model = provider.model, ...rest } = options;
  const asked = Object.entries(rest).filter(
    ([name, value]) => !NOT_ASKED.includes(name) && typeof value !== "function",
  );
  const calls = new Map<string, number>();
  const said = messages.map((message) => {
    const { role, content } = message;
    if (role === "tool") {
      const { toolCallId, name, isError = false } = message;
      return { role, content, call: calls.get(toolCallId) ?? toolCallId, name, isError };
    }
    if (role !== "assistant" || !message.toolCalls) return { role, content };
    const toolCalls = message.toolCalls.map(({ id, name, args, rawArgs }) => {
      calls.set(id, calls.size);
      return { name, args, rawArgs };
    });
    return { role, content, toolCalls };
  });
  const tools = options.tools?.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return sha256(
    canonical({
      provider: provider.name,
      model,
      options: { ...Object.fromEntries(asked), tools },
      said,
    }),
  );
}

function isKept({ state, error, stopReason, toolCalls = [] }: AssistantMessage): boolean {
  const isWhole =
    stopReason === undefined || stopReason === "end_turn" || stopReason === "stop_sequence";
  return state === "complete" && !error && isWhole && toolCalls.length === 0;
}

async function read(cache: CacheStorage, key: string): Promise<AssistantMessage | undefined> {
  const entry = await cache.get(key);
  if (!entry) return undefined;
  if ((await sha256(entry.value)) !== entry.integrity) {
    await cache.delete(key);
    throw new StorageError("CORRUPT", "A cached answer is damaged", {
      hint: "It was deleted: ask again. If this recurs, check the cache's storage.",
    });
  }
  return messageFromJson(JSON.parse(entry.value) as AssistantMessage) as AssistantMessage;
}

async function write(
  cache: CacheStorage,
  key: string,
  message: AssistantMessage,
  storedAt: number,
): Promise<void> {
  const value = JSON.stringify(messageForJson(message));
  const entry: CacheEntry = { value, integrity: await sha256(value), storedAt };
  await cache.set(key, entry);
}

/** Streams a cached answer in one piece. */
function replay({ content }: AssistantMessage, onEvent: (event: ProviderEvent) => void): void {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  for (const part of parts) {
    if (part.type === "thinking" && part.text !== "")
      onEvent({ type: "thinking_delta", delta: part.text });
    else if (part.type === "text" && part.text !== "")
      onEvent({ type: "text_delta", delta: part.text });
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof StorageError && error.code === "CORRUPT";
}

/** JSON whose fields are in the order of their names, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field !== "object" || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
