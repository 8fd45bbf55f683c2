import { errorFacts } from "../errors.ts";
import { contentText } from "../messages/message.ts";
import { redactValue } from "../messages/redact.ts";
import type { ToolResult } from "../tools/tool.ts";
import { BatchQueue, type BatchQueueOptions } from "./delivery/batch-queue.ts";
import { postJson, type PostOptions } from "./delivery/post-json.ts";
import { createSigner, type Signer } from "./delivery/sign.ts";
import type { RunEventName } from "./event-emitter-plugin.ts";
import type { Plugin, PluginRun, PluginRunResult, PluginToolCall } from "./plugin.ts";
import { type RunFacts, runFacts } from "./run-facts.ts";

export type WebhookEventName = Exclude<RunEventName, "execution.text_delta">;

/** One event, as a receiver gets it: the body of a request is `{ "events": [...] }`. */
export interface WebhookEvent extends RunFacts {
  /** The same when it is sent again. */
  id: string;
  name: WebhookEventName;
  /** Milliseconds since the epoch. */
  time: number;
  /** Facts of the event, without secrets. */
  data: unknown;
}

export interface WebhookPluginOptions extends PostOptions, BatchQueueOptions {
  /** Events to send; by default the ends of runs: `execution.complete`, `execution.error` and `execution.refused`. */
  events?: readonly WebhookEventName[] | undefined;
  /**
   * Signs every request with HMAC-SHA256 per Standard Webhooks, over `<webhook-id>.<webhook-timestamp>.<body>`, so that
   * any of its libraries can verify it. Base64 behind `whsec_`, or any other text as is.
   */
  secret?: string | undefined;
  /** Also sends the texts of people, models and tools; `false` by default. */
  content?: boolean | undefined;
  /** Texts to redact, besides whatever looks like a secret. */
  secrets?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined;
  randomUUID?: (() => string) | undefined;
}

const RUN_ENDS: readonly WebhookEventName[] = [
  "execution.complete",
  "execution.error",
  "execution.refused",
];
const NAME = "The webhook";

/**
 * Reports events of runs to another program in the background. Delivered in order and at least once: a repeated `id` is
 * the same event.
 */
export class WebhookPlugin implements Plugin {
  readonly name = "webhook";
  readonly category = "notification";
  readonly priority = "minimal";
  readonly #options: WebhookPluginOptions;
  readonly #events: ReadonlySet<WebhookEventName>;
  readonly #queue: BatchQueue<string>;
  readonly #now: () => number;

  constructor(options: WebhookPluginOptions) {
    this.#options = options;
    this.#events = new Set(options.events ?? RUN_ENDS);
    this.#now = options.now ?? Date.now;
    const sign = options.secret === undefined ? undefined : createSigner(options.secret);
    this.#queue = new BatchQueue(NAME, (batch, signal) => this.#send(batch, signal, sign), options);
  }

  /** Events that were given up. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  beforeRun(run: PluginRun): void {
    this.#add("execution.start", run, () => this.#content({ input: contentText(run.input) }));
  }

  afterRun(run: PluginRun, result: PluginRunResult): void {
    this.#add("execution.complete", run, () => this.#result(result));
  }

  onRefused(run: PluginRun, error: Error): void {
    this.#add("execution.refused", run, () => ({ error: errorFacts(error) }));
  }

  onError(run: PluginRun, error: Error, result: PluginRunResult): void {
    this.#add("execution.error", run, () => ({
      error: errorFacts(error),
      ...this.#result(result),
    }));
  }

  onToolStart(run: PluginRun, { toolCallId, name, args }: PluginToolCall): void {
    this.#add("tool.execute_start", run, () => ({
      toolCallId,
      tool: name,
      ...this.#content({ args }),
    }));
  }

  afterToolExecution(
    run: PluginRun,
    { toolCallId, name }: PluginToolCall,
    { success, errorCode, output }: ToolResult,
    durationMs: number,
  ): void {
    this.#add(success ? "tool.execute_success" : "tool.execute_error", run, () => ({
      toolCallId,
      tool: name,
      durationMs,
      errorCode,
      ...this.#content({ output: contentText(output) }),
    }));
  }

  /**
   * Resolves when every event so far is delivered.
   * @throws the error of a failed delivery; the events stay for another try unless the receiver refused them
   */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  dispose(): Promise<void> {
    return this.#queue.close();
  }

  #add(name: WebhookEventName, run: PluginRun, data: () => Record<string, unknown>): void {
    if (!this.#events.has(name)) return;
    const event: WebhookEvent = {
      id: this.#newId(),
      name,
      time: this.#now(),
      ...runFacts(run),
      data: redactValue(data(), this.#options.secrets),
    };
    this.#queue.add(JSON.stringify(event));
  }

  #result({ text, ...facts }: PluginRunResult): Record<string, unknown> {
    return { ...facts, ...this.#content({ text }) };
  }

  #content(said: Record<string, unknown>): Record<string, unknown> {
    return this.#options.content ? said : {};
  }

  #newId(): string {
    return this.#options.randomUUID?.() ?? crypto.randomUUID();
  }

  #send(batch: readonly string[], signal: AbortSignal, sign: Signer | undefined): Promise<void> {
    const body = `{"events":[${batch.join(",")}]}`;
    const id = this.#newId();
    return postJson(NAME, body, { ...this.#options, signal }, async () => {
      const timestamp = String(Math.floor(this.#now() / 1000));
      const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
      if (!sign) return headers;
      return { ...headers, "webhook-signature": await sign(`${id}.${timestamp}.${body}`) };
    });
  }
}
