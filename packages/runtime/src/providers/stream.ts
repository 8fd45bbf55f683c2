import type { AssistantMessage, Message } from "../messages/message.ts";
import type { ChatOptions, ProviderEvent } from "./provider.ts";

type Generate = (
  messages: readonly Message[],
  options: ChatOptions,
  onEvent: (event: ProviderEvent) => void,
) => Promise<AssistantMessage>;

/**
 * `Provider.chatStream`, derived from `generate`: events that arrive together cost one wake-up together. A consumer
 * that stops early stops the call.
 */
export async function* streamEvents(
  generate: Generate,
  messages: readonly Message[],
  options: ChatOptions = {},
): AsyncGenerator<ProviderEvent, void, undefined> {
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  let events: ProviderEvent[] = [];
  let wake = (): void => {};
  let failure: { error: unknown } | undefined;
  let settled = false;

  const settle = (): void => {
    settled = true;
    wake();
  };
  void generate(messages, { ...options, signal }, (event) => {
    events.push(event);
    wake();
  }).then(
    (message) => {
      events.push({ type: "message", message });
      settle();
    },
    (error: unknown) => {
      failure = { error };
      settle();
    },
  );

  try {
    for (;;) {
      const batch = events;
      events = [];
      yield* batch;
      if (events.length > 0) continue;
      if (settled) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (failure) throw failure.error;
  } finally {
    left.abort();
  }
}
