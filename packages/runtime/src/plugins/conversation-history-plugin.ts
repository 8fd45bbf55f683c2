import { type ErrorFacts, errorFacts } from "../errors.ts";
import { type Content, contentText } from "../messages/message.ts";
import { redact, redactValue } from "../messages/redact.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import { MemoryRecordStore } from "./records/memory-record-store.ts";
import type { RecordStore } from "./records/record-store.ts";
import { agentOf } from "./run-facts.ts";

/** One message or tool call of a conversation, without secrets. */
export type ConversationRecord = {
  conversationId: string;
  runId: string;
  /** Milliseconds since the epoch. */
  time: number;
} & (
  | { role: "user"; text: string; attachments: string[] }
  | { role: "tool"; toolCallId: string; tool: string; args: unknown; text: string; failed: boolean }
  | { role: "assistant"; text: string; state: "complete" | "interrupted" }
  | { role: "error"; text: string; error: ErrorFacts }
);

export interface ConversationSummary {
  conversationId: string;
  records: number;
  /** Times of the first and the last record. Milliseconds since the epoch. */
  startedAt: number;
  updatedAt: number;
}

export interface ConversationHistoryPluginOptions {
  /** Record storage; by default the newest 10,000 in memory. */
  storage?: RecordStore<ConversationRecord> | undefined;
  /** The conversation that a run belongs to; by default its agent's id, which is new for each `Robota`. */
  conversationId?: ((run: PluginRun) => string) | undefined;
  /** Makes a run end only after its records are stored, so that they survive a crash; `true` by default. */
  waitForStorage?: boolean | undefined;
  /** Texts to redact, besides whatever looks like a secret. */
  secrets?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
}

/** Records conversations for people to read later. A `Session` has its own log and does not need it. */
export class ConversationHistoryPlugin implements Plugin {
  readonly name = "conversation-history";
  readonly category = "storage";
  readonly priority = "low";
  readonly #storage: RecordStore<ConversationRecord>;
  readonly #conversationId: (run: PluginRun) => string;
  readonly #options: ConversationHistoryPluginOptions;
  readonly #now: () => number;

  constructor(options: ConversationHistoryPluginOptions = {}) {
    this.#storage = options.storage ?? new MemoryRecordStore();
    this.#conversationId = options.conversationId ?? agentOf;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  beforeRun(run: PluginRun): void {
    if (run.attempt > 1) return;
    const attachments = attachmentsOf(run.input);
    this.#storage.add({
      ...this.#facts(run),
      role: "user",
      text: this.#safe(contentText(run.input)),
      attachments,
    });
  }

  afterToolExecution(
    run: PluginRun,
    { toolCallId, name, args }: PluginToolCall,
    { output, success }: ToolResult,
  ): void {
    this.#storage.add({
      ...this.#facts(run),
      role: "tool",
      toolCallId,
      tool: name,
      args: redactValue(args, this.#options.secrets),
      text: this.#safe(contentText(output)),
      failed: !success,
    });
  }

  async afterRun(run: PluginRun, { text, interrupted }: PluginRunResult): Promise<void> {
    this.#storage.add({
      ...this.#facts(run),
      role: "assistant",
      text: this.#safe(text),
      state: interrupted ? "interrupted" : "complete",
    });
    await this.#settle();
  }

  async onError(run: PluginRun, failure: Error, { text }: PluginRunResult): Promise<void> {
    const { code, message } = errorFacts(failure);
    const error = { code, message: this.#safe(message) };
    this.#storage.add({ ...this.#facts(run), role: "error", text: this.#safe(text), error });
    await this.#settle();
  }

  /** Oldest first. */
  async conversation(conversationId: string): Promise<ConversationRecord[]> {
    const records: ConversationRecord[] = [];
    for await (const record of this.#storage.read())
      if (record.conversationId === conversationId) records.push(record);
    return records;
  }

  /** The one that was last added to comes first. */
  async conversations(): Promise<ConversationSummary[]> {
    const summaries = new Map<string, ConversationSummary>();
    for await (const { conversationId, time } of this.#storage.read()) {
      const before = summaries.get(conversationId) ?? {
        conversationId,
        records: 0,
        startedAt: time,
        updatedAt: time,
      };
      summaries.set(conversationId, { ...before, records: before.records + 1, updatedAt: time });
    }
    return [...summaries.values()].toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  dispose(): Promise<void> {
    return this.#storage.dispose();
  }

  async #settle(): Promise<void> {
    if (this.#options.waitForStorage ?? true) await this.#storage.flush();
  }

  #facts(run: PluginRun): Pick<ConversationRecord, "conversationId" | "runId" | "time"> {
    return { conversationId: this.#conversationId(run), runId: run.runId, time: this.#now() };
  }

  #safe(text: string): string {
    return redact(text, this.#options.secrets);
  }
}

/** Media types of non-text parts. */
function attachmentsOf(content: Content): string[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => ("mediaType" in part ? part.mediaType : []));
}
