import { type ErrorFacts, errorFacts } from "../../errors.ts";
import { MAX_CONCURRENT_TOOLS } from "../../agent/limits.ts";
import { messageForJson } from "../../messages/message-json.ts";
import { Redactor } from "../../messages/redactor.ts";
import type { Message, ToolCall } from "../../messages/message.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Tool } from "../../tools/tool.ts";
import { compactionEvent } from "../turn/compaction-event.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";
import type { SessionState } from "../state/state.ts";
import type { HistoryMutation, LogEvent, SessionLogData } from "./entry.ts";
import { structureOf } from "./history-structure.ts";
import type { SessionLogger } from "./logger.ts";
import { mutationOf } from "./mutations.ts";
import { OrderedEntries, type TextPiece } from "./ordered-entries.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import { RecordedQuestion } from "./recorded-question.ts";

export interface SessionTracerOptions {
  sessionId: string;
  logger: SessionLogger;
  redactor: Redactor | undefined;
  state: SessionState;
  provider: Pick<Provider, "name" | "model">;
  tools: ReadonlyMap<string, Tool>;
  /** Size of the window, in tokens. */
  maxTokens: () => number;
  /** Availability of the provider's own web search, and whether it is offered now. */
  nativeWeb: () => { available: boolean; enabled: boolean };
  /** Called once when the logger fails. */
  onFailure(error: unknown): void;
}

/**
 * Reports a session to a logger, from the session's own events and its calls to the provider. A session without a
 * logger has none.
 */
export class SessionTracer {
  readonly calls: RecordedCalls;
  readonly #options: SessionTracerOptions;
  readonly #entries: OrderedEntries;
  readonly #checkpoints = new Map<string, number>();
  /** Number of questions to the model by call of the open turn. */
  readonly #questions = new Map<string, number>();
  /** Number of summaries requested since the session was opened. */
  #summaries = 0;
  #hasBegun = false;
  #hasFailed = false;
  #lastSeq = 0;
  /** The last loaded change of the conversation. */
  #loadedUpTo = 0;
  /** Number of answers in the open turn of a loaded session. */
  #loadedRounds = 0;
  #begunTurn: SessionEventOf<"turn_start"> | undefined;
  #turnMessages: Message[] = [];
  /** The calls of the present batch. */
  #batch: readonly ToolCall[] = [];
  /** Pending deliveries to the logger. */
  #sending: Promise<void> | undefined;

  constructor(options: SessionTracerOptions) {
    this.#options = options;
    const redactor = options.redactor ?? new Redactor();
    this.#entries = new OrderedEntries(redactor, (event, data) => this.#send(event, data));
    this.calls = new RecordedCalls({
      get provider() {
        return options.provider;
      },
      emit: (event, data, pieces) => this.#emit(event, data, pieces),
      endTexts: () => this.#entries.endTexts(),
      upTo: () => this.#lastSeq,
    });
  }

  /** Takes an event from before the session was opened, once it is folded. */
  loaded(event: SessionEvent): void {
    this.#lastSeq = event.seq;
    this.#mark(event);
    if (mutationOf(event, this.#checkpoints)) this.#loadedUpTo = event.seq;
    if (event.type === "turn_start") this.#loadedRounds = 0;
    if (event.type !== "assistant_message") return;
    this.#loadedRounds += 1;
    this.#batch = event.message.toolCalls ?? [];
  }

  /** Takes an emitted event, once it is folded. */
  apply(event: SessionEvent): void {
    this.#begin();
    const before = this.#lastSeq;
    this.#lastSeq = event.seq;
    switch (event.type) {
      case "turn_start":
        this.#begunTurn = event;
        this.#turnMessages = [];
        this.#questions.clear();
        this.calls.begin(event.turnId ?? "");
        break;
      case "user_message":
        if (this.#begunTurn) this.#preRun(event, before);
        this.#turnMessages.push(event.message);
        break;
      case "text_delta": {
        const { messageId, delta } = event;
        this.#emit("text_delta", { ...this.calls.place, messageId, delta: "" }, [
          { stream: `shown/${messageId}`, text: delta, path: ["delta"] },
        ]);
        return;
      }
      case "assistant_message":
        this.calls.normalized(event.message);
        this.#turnMessages.push(event.message);
        break;
      case "tool_end":
        this.#toolEnded(event);
        this.#turnMessages.push(event.message);
        break;
      case "compaction": {
        this.#emit("context_compact", { ...compactionEvent(event, this.#options.maxTokens()) });
        break;
      }
      case "turn_end":
        this.#turnEnded(event);
        break;
      case "note":
        this.#noted(event);
        break;
      default:
    }
    const mutation = mutationOf(event, this.#checkpoints);
    this.#mark(event);
    if (mutation) this.#changed(event, mutation);
  }

  /** Records a tool call's question to the model. */
  question(toolCallId: string): RecordedQuestion {
    const executionId = `${this.calls.place.executionId}/${toolCallId}`;
    const round = (this.#questions.get(executionId) ?? 0) + 1;
    this.#questions.set(executionId, round);
    return new RecordedQuestion({
      provider: this.#options.provider,
      place: { executionId, round, toolCallId },
      emit: (event, data) => this.#emit(event, data),
    });
  }

  /** Records the request for a summary of the conversation. */
  summary(): RecordedQuestion {
    this.#begin();
    this.#summaries += 1;
    const { executionId } = this.calls.place;
    return new RecordedQuestion({
      provider: this.#options.provider,
      place: { executionId: `${executionId}/compaction`, round: this.#summaries },
      emit: (event, data) => this.#emit(event, data),
    });
  }

  /** Records the beginning of the shutdown. */
  shutdown(reason: string): void {
    if (this.#hasBegun) this.#emit("session_shutdown", { reason });
  }

  /** Resolves when the logger has stored everything durably, or has failed. */
  async flush(): Promise<void> {
    if (!this.#hasBegun) return;
    this.#entries.endTexts();
    try {
      await this.#sending;
      await this.#options.logger.flush();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Remembers the events that a rewind can name. */
  #mark(event: SessionEvent): void {
    const { seq } = event;
    if (event.type === "turn_start") this.#checkpoints.set(event.turnId ?? `turn-${seq}`, seq);
    else if (event.type === "rewind") this.#checkpoints.set(`rewind-${seq}`, seq);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { state, provider, tools, logger, sessionId } = this.#options;
    const { systemPrompt, cwd, turn } = state;
    if (turn) this.calls.begin(turn.turnId, this.#loadedRounds);
    this.#emit("session_init", {
      provider: provider.name,
      model: provider.model,
      cwd,
      systemPrompt,
      systemPromptLength: systemPrompt.length,
      toolSchemas: [...tools.values()].map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      })),
    });
    if (state.messages.length === 0 || this.#loadedUpTo === 0) return;
    const messages = state.messages.map(messageForJson);
    const sequence = this.#loadedUpTo;
    const restored = async (): Promise<void> => {
      const upTo = await logger.historyUpTo?.(sessionId);
      if (upTo !== undefined && upTo >= sequence) return;
      const mutation: HistoryMutation = { operation: "restore", sequence, messages };
      const redactor = this.#options.redactor ?? new Redactor();
      await logger.log(sessionId, "history_mutation", redactor.value(mutation) as SessionLogData);
    };
    this.#then(restored);
  }

  #preRun({ message }: SessionEventOf<"user_message">, upTo: number): void {
    const { provider, nativeWeb } = this.#options;
    const { displayInput } = this.#begunTurn ?? {};
    this.#begunTurn = undefined;
    this.#emit("pre_run", {
      executionId: this.calls.place.executionId,
      provider: provider.name,
      model: provider.model,
      nativeWeb: nativeWeb(),
      input: message.content,
      displayInput,
      history: { kind: "history", upTo },
    });
  }

  #changed(event: SessionEvent, mutation: HistoryMutation): void {
    this.#emit("history_mutation", { ...this.calls.place, ...mutation });
    if (event.type === "assistant_message") this.#batchBegins(event.message.toolCalls ?? []);
    if (event.type !== "tool_end") return;
    const { message, toolCallId, tool } = event;
    this.#emit("tool_message_committed", {
      ...this.calls.place,
      toolName: tool,
      toolCallId,
      messageId: message.id,
      sequence: event.seq,
    });
  }

  #batchBegins(calls: readonly ToolCall[]): void {
    this.#batch = calls;
    if (calls.length === 0) return;
    const { place } = this.calls;
    this.#emit("tool_batch_started", {
      ...place,
      mode: "parallel",
      maxConcurrency: MAX_CONCURRENT_TOOLS,
      count: calls.length,
      toolNames: calls.map(({ name }) => name),
    });
    for (const [batchIndex, { id, name, args, rawArgs }] of calls.entries()) {
      this.#emit("tool_execution_request", {
        ...place,
        toolName: name,
        toolCallId: id,
        parameters: args,
        rawParameters: rawArgs,
        batchIndex,
        ownerPath: this.#ownerPath(id),
      });
    }
  }

  #toolEnded({ tool, toolCallId, message, outcome }: SessionEventOf<"tool_end">): void {
    const { success, errorCode, memory: _memory, answers: _answers, ...metadata } = outcome;
    const batchIndex = this.#batch.findIndex(({ id }) => id === toolCallId);
    this.#emit("tool_execution_result", {
      ...this.calls.place,
      toolName: tool,
      toolCallId,
      success,
      errorCode,
      result: message.content,
      metadata,
      batchIndex: batchIndex < 0 ? undefined : batchIndex,
      ownerPath: this.#ownerPath(toolCallId),
    });
  }

  #ownerPath(toolCallId: string): object[] {
    return [
      { ownerType: "session", ownerId: this.#options.sessionId },
      { ownerType: "execution", ownerId: this.calls.place.executionId },
      { ownerType: "tool", ownerId: toolCallId },
    ];
  }

  #turnEnded({ state, response, usage, cost, error }: SessionEventOf<"turn_end">): void {
    this.#entries.endTexts();
    const { executionId } = this.calls.place;
    if (state === "complete") {
      this.#emit("assistant", {
        executionId,
        content: response,
        usage,
        cost,
        history: { kind: "history", upTo: this.#lastSeq },
        historyStructure: this.#turnMessages.map(structureOf),
      });
    } else {
      const aborted: ErrorFacts = { code: "ABORTED", message: "The turn was interrupted" };
      this.#emit("error", { executionId, phase: "turn", ...(error ?? aborted), content: response });
    }
    this.#turnMessages = [];
  }

  #noted(note: SessionEventOf<"note">): void {
    if (!isNote(note, "auto-compact-failed", "turn-refused")) return;
    const { kind, data } = note;
    this.#emit("error", { ...this.calls.place, phase: kind, ...errorNoted(data) });
  }

  #emit(event: LogEvent, data: SessionLogData, pieces?: readonly TextPiece[]): void {
    this.#entries.push(event, data, pieces);
  }

  #send(event: string, data: SessionLogData): void {
    const { logger, sessionId } = this.#options;
    if (this.#sending) {
      this.#then(() => logger.log(sessionId, event, data));
      return;
    }
    try {
      const taken = logger.log(sessionId, event, data);
      if (taken) this.#then(() => taken);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Queues a delivery: entries keep their order, however long the logger takes. */
  #then(next: () => void | Promise<void>): void {
    const sending = (this.#sending ?? Promise.resolve())
      .then(next)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
  }

  #failed(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFailure(error);
  }
}

function errorNoted(data: unknown): ErrorFacts {
  const { code, message } = { ...errorFacts(undefined), ...(data as Partial<ErrorFacts>) };
  return { code, message };
}
