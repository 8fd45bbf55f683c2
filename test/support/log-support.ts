import { type Provider, Session, type SessionOptions, StorageSessionLogger } from "@robota/runtime";
import { readSessionLog, type SessionLogEntry, type SessionLogger } from "@robota/runtime/log";
import { ScriptedProvider, type ScriptedReply } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";

/** A session with a log in a storage of its own. */
export function logged(
  script: readonly ScriptedReply[],
  options: Partial<SessionOptions> = {},
): { session: Session; storage: MemoryStorage; entries: () => Promise<SessionLogEntry[]> } {
  const storage = new MemoryStorage();
  const logger = new StorageSessionLogger(storage);
  const session = new Session({
    platform: memoryPlatform(),
    provider: new ScriptedProvider(script),
    sessionId: "s",
    logger,
    permissionMode: "bypassPermissions",
    ...options,
  });
  const entries = async (): Promise<SessionLogEntry[]> => {
    await logger.flush();
    return (await readSessionLog(storage, "s")).entries;
  };
  return { session, storage, entries };
}

export const names = (entries: readonly SessionLogEntry[]): string[] =>
  entries.map(({ event }) => event);
export const dataOf = (
  entries: readonly SessionLogEntry[],
  event: string,
): SessionLogEntry["data"][] =>
  entries.filter((entry) => entry.event === event).map(({ data }) => data);

/** A logger that remembers its entries. */
export function remembering(): SessionLogger & { given: { event: string; data: object }[] } {
  const given: { event: string; data: object }[] = [];
  return {
    given,
    log: (_id, event, data) => void given.push({ event, data }),
    flush: async () => {},
  };
}

/** A provider that answers with words, with payloads of its own and a search. */
export function withWire(words: readonly string[]): Provider {
  return {
    name: "wire",
    model: "m",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(_messages, options = {}) {
      let sequence = 0;
      const native = (payloadKind: "request" | "stream_event", payload: object): void =>
        options.onProviderNativeRawPayload?.({
          provider: "wire",
          apiSurface: "messages",
          payloadKind,
          sequence: sequence++,
          payload: JSON.parse(JSON.stringify(payload)),
        });
      native("request", { model: "m", messages: [{ role: "user" }] });
      yield { type: "server_tool_use", use: { name: "web_search", input: { query: "news" } } };
      for (const delta of words) {
        native("stream_event", { type: "content_block_delta", index: 0, delta: { text: delta } });
        yield { type: "text_delta", delta };
      }
      const content = words.join("");
      yield {
        type: "message",
        message: { role: "assistant", id: "m", timestamp: new Date(), content, state: "complete" },
      };
    },
  };
}
