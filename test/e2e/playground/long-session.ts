import {
  type AssistantMessage,
  chat,
  defineTool,
  type Message,
  type Provider,
  type ProviderEvent,
  Session,
} from "@robota/runtime";
import { memoryPlatform } from "@robota/runtime/testing";
import type { Page } from "playwright";

/** A session as the browser's storage keeps it. */
export interface StoredSession {
  readonly id: string;
  /** The prompt of its last turn. */
  readonly lastPrompt: string;
  readonly messages: number;
  /** Records of its log, in their order. */
  readonly records: readonly string[];
  /** Its header and its snapshot, by their keys. */
  readonly values: readonly (readonly [key: string, value: string])[];
}

/** Messages of three turns, of which the last one calls a tool. */
const MESSAGES = 8;
const REPLY = `The settings are read in **one place**, and \`readSettings\` is called by three others:

- the command line, before its first prompt
- the worker, for each session
- the page, when a *workspace* is opened

\`\`\`ts
const settings = await readSettings(path);
\`\`\`

None of them keeps what it has read, so a change is in force with the next prompt.`;

/** Answers at once: every third prompt with a call of the tool first. */
class QuickProvider implements Provider {
  readonly name = "quick";
  readonly model = "quick-1";
  #turns = 0;

  chat(messages: readonly Message[]): Promise<AssistantMessage> {
    return chat(this, messages);
  }

  async *chatStream(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
    const isNew = messages.at(-1)?.role === "user";
    if (isNew) this.#turns += 1;
    const calls = isNew && this.#turns % 3 === 0;
    const content = calls ? "" : REPLY;
    const message: AssistantMessage = {
      role: "assistant",
      id: crypto.randomUUID(),
      timestamp: new Date(),
      state: "complete",
      content,
      usage: { inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    if (calls) {
      const args = { path: "src/settings.ts" };
      message.toolCalls = [{ id: `call-${this.#turns}`, name: "Look", args }];
    }
    for (const delta of content.match(/.{1,60}/gs) ?? []) yield { type: "text_delta", delta };
    yield { type: "message", message };
  }
}

const look = defineTool<{ path: string }>({
  name: "Look",
  description: "Shows a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  access: "none",
  execute: () => "export const readSettings = (path: string) => parse(path);\n".repeat(12),
});

/** A session of at least that many messages: Markdown, and a tool call in every third turn. */
export async function longSession(messages: number): Promise<StoredSession> {
  const id = `long-${messages}`;
  const platform = memoryPlatform();
  const session = new Session({
    platform,
    provider: new QuickProvider(),
    sessionId: id,
    cwd: "/workspace",
    tools: [look],
    permissionMode: "bypassPermissions",
    contextWindow: 1e12,
    trackFiles: false,
  });
  const turns = Math.ceil(messages / MESSAGES) * 3;
  const promptOf = (turn: number): string => `Question ${turn}: who reads the settings?`;
  for (let turn = 1; turn <= turns; turn++) await session.run(promptOf(turn));
  await session.shutdown();

  const decoder = new TextDecoder();
  const { storage } = platform;
  const records: string[] = [];
  for await (const { value } of storage.read(`sessions/${id}`)) records.push(decoder.decode(value));
  const keys = (await storage.keys("")).filter((key) => key.includes(id));
  const values = await Promise.all(
    keys.map(async (key) => [key, decoder.decode(await storage.get(key))] as const),
  );
  const count = (turns / 3) * MESSAGES;
  return { id, lastPrompt: promptOf(turns), messages: count, records, values };
}

/** Puts a session into the storage of the page's browser, as another tab would have left it. */
export async function storeSession(page: Page, session: StoredSession): Promise<void> {
  await page.evaluate(async ({ id, records, values }) => {
    const opening = indexedDB.open("robota-storage:playground");
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opening.addEventListener("success", () => resolve(opening.result));
      opening.addEventListener("error", () => reject(new Error("No database")));
    });
    const transaction = database.transaction(["logs", "values"], "readwrite");
    const encoder = new TextEncoder();
    const logs = transaction.objectStore("logs");
    const log = `sessions/${id}`;
    const block = 64;
    for (let at = 0; at < records.length; at += block) {
      const some = records.slice(at, at + block).map((record) => encoder.encode(record));
      if (some.length < block) {
        some.forEach((value, index) => logs.put({ log, seq: at + index + 1, value }));
        continue;
      }
      let end = 0;
      const ends = Uint32Array.from(some, ({ length }) => (end += length));
      const bytes = new Uint8Array(end);
      some.forEach((value, index) => bytes.set(value, ends[index]! - value.length));
      logs.put({ log, seq: at + block, bytes, ends });
    }
    for (const [key, value] of values) {
      const stored = { value: encoder.encode(value), version: crypto.randomUUID() };
      transaction.objectStore("values").put(stored, key);
    }
    await new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(new Error("Not stored")));
    });
    database.close();
  }, session);
}
