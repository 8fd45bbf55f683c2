import type { ChatOptions, Message, Provider } from "@robota/runtime";
import { generate } from "@robota/runtime/providers";

/** A request as it went to a provider in this tab. Nothing of it is copied, stored or sent anywhere. */
export interface RequestRecord {
  provider: string;
  model: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs?: number;
  messages: readonly Message[];
  options: ChatOptions;
  /** The request in the service's own format, without its key, if the provider reports it. */
  native?: unknown;
  /** The reason why there is no answer. */
  error?: string;
}

type RecordedProvider = Provider & Required<Pick<Provider, "generate">>;

/** Requests that are kept. A long conversation's messages are shared by all of them. */
const KEPT = 50;
const records: RequestRecord[] = [];

/** The last requests of this tab, oldest first. */
export function requestRecords(): readonly RequestRecord[] {
  return records;
}

/** The same provider, whose requests are kept for the inspector. */
export function withRequestRecord(provider: Provider): RecordedProvider {
  const recorded: RecordedProvider = {
    name: provider.name,
    model: provider.model,
    chat: (messages, options) => provider.chat(messages, options),
    chatStream: (messages, options) => provider.chatStream(messages, options),
    async generate(messages, options, onEvent) {
      const { onProviderNativeRawPayload: onNative } = options;
      const record: RequestRecord = {
        provider: provider.name,
        model: options.model ?? provider.model,
        startedAt: Date.now(),
        messages: [...messages],
        options,
      };
      records.push(record);
      if (records.length > KEPT) records.shift();
      const start = performance.now();
      try {
        return await generate(
          provider,
          messages,
          {
            ...options,
            onProviderNativeRawPayload(payload) {
              if (payload.payloadKind === "request") record.native = payload.payload;
              onNative?.(payload);
            },
          },
          onEvent,
        );
      } catch (error) {
        record.error = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        record.durationMs = Math.round(performance.now() - start);
      }
    },
  };
  if (provider.configureNativeWebTools)
    recorded.configureNativeWebTools = provider.configureNativeWebTools.bind(provider);
  return recorded;
}
