import { turnClock } from "../time/own-time.ts";
import type {
  AssistantMessage,
  ChatOptions,
  Message,
  Provider,
  ProviderEvent,
} from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { compatibleProvider, OpenAIProvider } from "@robota/runtime/providers/openai";
import { inject } from "vitest";
import { fetchUntilCut } from "./wire-cut.ts";
import {
  requestsOf,
  scriptAddress,
  type WireAnswer,
  type WireReply,
  type WireRequest,
} from "./wire-script.ts";

export const KEY = "sk-test-0123456789abcdef";

export const hello: WireAnswer = { text: ["Hel", "lo ", "wörld ", "👋🏽"] };
export const twoCalls: WireAnswer = {
  thinking: ["Let me ", "see."],
  text: ["Looking."],
  calls: [
    { id: "call_a", name: "Read", args: ['{"filePath"', ':"a.md"}'] },
    { id: "call_b", name: "Read", args: ['{"filePath":"b.md"}'] },
  ],
};

export interface ProviderSettings {
  maxRetries?: number;
  idleTimeoutMs?: number;
  defaultHeaders?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
}

/** The providers by wire, at a base address of the wire server. */
export const providers: Record<string, (address: string, settings?: ProviderSettings) => Provider> =
  {
    "anthropic messages": (baseURL, settings) =>
      new AnthropicProvider({
        apiKey: KEY,
        model: "wire-model",
        baseURL,
        dangerouslyAllowBrowser: true,
        ...settings,
      }),
    "openai chat": (address, settings) =>
      new OpenAIProvider({
        apiKey: KEY,
        model: "wire-model",
        baseURL: `${address}/v1`,
        api: "chat",
        dangerouslyAllowBrowser: true,
        ...settings,
      }),
    "openai responses": (address, settings) =>
      new OpenAIProvider({
        apiKey: KEY,
        model: "wire-model",
        baseURL: `${address}/v1`,
        api: "responses",
        dangerouslyAllowBrowser: true,
        ...settings,
      }),
    "a compatible server": (address, settings) =>
      compatibleProvider("openRouter", {
        apiKey: KEY,
        model: "wire-model",
        baseURL: `${address}/v1`,
        dangerouslyAllowBrowser: true,
        ...settings,
      }),
  };

/** The suffix of each wire's path, which names its API. */
export const wirePaths: Record<string, string> = {
  "anthropic messages": "/messages",
  "openai chat": "/chat/completions",
  "openai responses": "/responses",
  "a compatible server": "/chat/completions",
};

export const user = (content: string): Message => ({
  role: "user",
  id: crypto.randomUUID(),
  timestamp: new Date(0),
  content,
});

/** An address that answers with these replies. */
export function freshAddress(replies: WireReply[]): string {
  return scriptAddress(inject("wireOrigin"), { id: crypto.randomUUID(), replies });
}

/** The outcome of one call. */
export interface Exchange {
  events: ProviderEvent[];
  text: string;
  message: AssistantMessage | undefined;
  error: unknown;
  requests: WireRequest[];
  durationMs: number;
  /** The milliseconds of it in which this thread had its turns. */
  turnMs: number;
}

export interface ExchangeOptions {
  settings?: ProviderSettings;
  options?: ChatOptions;
  messages?: Message[];
  /** Receives each event as it arrives. */
  onEvent?(event: ProviderEvent): void;
}

/** One call of a provider whose service sends these replies. */
export async function exchange(
  wire: string,
  replies: WireReply[],
  how: ExchangeOptions = {},
): Promise<Exchange> {
  const origin = inject("wireOrigin");
  const script = { id: crypto.randomUUID(), replies };
  const isCut = replies.some(({ fault }) => fault?.kind === "cut");
  const settings = { ...(isCut && { fetch: fetchUntilCut }), ...how.settings };
  const provider = providers[wire]?.(scriptAddress(origin, script), settings);
  if (!provider?.generate) throw new Error(`no provider for ${wire}`);
  const result: Exchange = {
    events: [],
    text: "",
    message: undefined,
    error: undefined,
    requests: [],
    durationMs: 0,
    turnMs: 0,
  };
  const started = performance.now();
  using clock = turnClock();
  try {
    result.message = await provider.generate(
      how.messages ?? [user("Hi")],
      how.options ?? {},
      (event) => {
        result.events.push(event);
        if (event.type === "text_delta") result.text += event.delta;
        how.onEvent?.(event);
      },
    );
  } catch (error) {
    result.error = error;
  }
  result.durationMs = performance.now() - started;
  result.turnMs = clock.ms();
  result.requests = await requestsOf(origin, script);
  return result;
}
