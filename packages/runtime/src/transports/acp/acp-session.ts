import type {
  AgentContext,
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { errorMessage, SessionError } from "../../errors.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { ExecutionResult } from "../../interactive/types.ts";
import type { PermissionRequest, SessionEvent } from "../../session/log/events.ts";
import { acpEncoder, words } from "./encoder.ts";
import { answerOf, optionsOf } from "./permission-options.ts";
import type { PromptContent } from "./prompt-content.ts";
import { RequestError } from "./sdk.ts";
import { askedCall } from "./tool-updates.ts";

/** One session on a connection: its events go out in order, and its questions are put to the client. */
export class AcpSession {
  readonly session: InteractiveSession;
  readonly #client: AgentContext;
  readonly #onError: (error: unknown) => void;
  readonly #closed = new AbortController();
  /** The reason why the events can't be read or sent any more. */
  #failure: Error | undefined;
  /** Called behind each event whose updates were sent. */
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** Questions that the client has, by the ids of their requests. */
  readonly #asked = new Map<string, AbortController>();
  #stopReason: StopReason = "end_turn";

  /** `onError`: called when the connection or the session fails. */
  constructor(
    session: InteractiveSession,
    client: AgentContext,
    onError: (error: unknown) => void,
  ) {
    this.session = session;
    this.#client = client;
    this.#onError = onError;
  }

  /**
   * Sends what happens from now on, and the questions that wait. With `replays`, sends the whole past first, and resolves
   * when the client has it.
   */
  async follow({ replays }: { replays: boolean }): Promise<void> {
    const { lastSeq } = this.session;
    const isPast = ({ seq }: SessionEvent): boolean => seq <= lastSeq;
    const past =
      replays && lastSeq > 0 ? this.#until(({ seq }) => seq >= lastSeq).reached : Promise.resolve();
    this.#run({ isPast, replays }).catch((error: unknown) => this.#fail(error));
    await this.#orClosed(past);
    // Another load has put them to the client, or will.
    if (this.#closed.signal.aborted) return;
    for (const request of this.session.pendingPermissions()) void this.#ask(request);
  }

  async #run({
    isPast,
    replays,
  }: {
    isPast: (event: SessionEvent) => boolean;
    replays: boolean;
  }): Promise<void> {
    const encode = acpEncoder({ includesPrompts: isPast });
    const { signal } = this.#closed;
    // The encoder has to see the past also when the client need not.
    for await (const event of this.session.events({ signal })) {
      const updates = encode(event);
      if (replays || !isPast(event)) for (const update of updates) await this.send(update);
      if (!isPast(event)) this.#take(event);
      for (const listener of this.#listeners) listener(event);
    }
    // The session is over: nothing more comes.
    this.#closed.abort();
  }

  /** Stops the turn, too: nobody sees what it does, or is asked. */
  #fail(error: unknown): void {
    if (!this.#closed.signal.aborted) {
      const hint = "Load the session again.";
      const problem = `The events of the session can't be had: ${errorMessage(error)}`;
      this.#failure = RequestError.internalError({ hint }, problem);
      this.close();
      this.session.abort();
    }
    this.#onError(error);
  }

  /** Reacts to what happens now. */
  #take(event: SessionEvent): void {
    if (event.type === "permission_decision") this.#asked.get(event.requestId)?.abort();
    if (event.type === "assistant_message")
      this.#stopReason = stopReasonOf(event.message.stopReason);
    if (event.type === "permission_request") {
      const { id } = event.request;
      const isOpen = this.session.pendingPermissions().some((request) => request.id === id);
      if (isOpen) void this.#ask(event.request);
    }
  }

  /** Puts a question to the client. One that it dismisses or can't show stops the turn: a failure is not an answer. */
  async #ask(request: PermissionRequest): Promise<void> {
    if (this.#asked.has(request.id)) return;
    const question = new AbortController();
    this.#asked.set(request.id, question);
    const { session } = this;
    try {
      const params: RequestPermissionRequest = {
        sessionId: session.sessionId,
        toolCall: askedCall(request),
        options: optionsOf(request),
      };
      const { signal: cancellationSignal } = question;
      const options = { cancellationSignal, stopWaitingOnCancel: true };
      const response = await this.#client.request("session/request_permission", params, options);
      const answer = answerOf(response.outcome);
      if (answer === undefined) session.abort();
      else await session.resolvePermission(request.id, answer);
    } catch (error) {
      // Somebody else has answered.
      if (question.signal.aborted || error instanceof SessionError) return;
      session.abort();
      this.#onError(error);
    } finally {
      this.#asked.delete(request.id);
    }
  }

  /** Resolves behind the first such event whose updates the client has, which `stop` no longer watches for. */
  #until(isLast: (event: SessionEvent) => boolean): { reached: Promise<void>; stop: () => void } {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const stop = (): void => void this.#listeners.delete(listener);
    const listener = (event: SessionEvent): void => {
      if (!isLast(event)) return;
      stop();
      resolve();
    };
    this.#listeners.add(listener);
    return { reached, stop };
  }

  async send(update: SessionUpdate): Promise<void> {
    const { sessionId } = this.session;
    await this.#client.notify("session/update", { sessionId, update });
  }

  /** Runs a prompt, or the command that it names, and resolves when the client has all of its updates. */
  async prompt({ text, attachments }: PromptContent): Promise<PromptResponse> {
    if (this.#failure) throw this.#failure;
    this.#stopReason = "end_turn";
    const [, name, args = ""] = /^\/(\S+)\s*([^]*)$/.exec(text) ?? [];
    const isCommand = this.session.listCommands().some((command) => command.name === name);
    if (name === undefined || !isCommand)
      return this.#turn(() => this.session.submit(text, { attachments }));
    const outcome = await this.session.prepareCommand(name, args);
    const prompt = outcome?.prompt;
    if (prompt) return this.#turn(() => this.session.submitPrompt(prompt, { attachments }));
    const message = outcome?.result?.message ?? "";
    if (message !== "") await this.send(words("agent_message_chunk", message));
    return { stopReason: "end_turn" };
  }

  async #turn(submit: () => Promise<ExecutionResult>): Promise<PromptResponse> {
    const ended = new Set<string>();
    let turnId: string | undefined;
    const sent = this.#until((event) => {
      if (event.type === "turn_end" && event.turnId !== undefined) ended.add(event.turnId);
      return turnId !== undefined && ended.has(turnId);
    });
    try {
      const { turnId: id, state, error } = await submit();
      turnId = id;
      // A prompt that was dropped never had a turn. Nothing more is sent after a close, such as by a second load.
      if (id !== "" && !ended.has(id)) await this.#orClosed(sent.reached);
      if (state === "interrupted") return { stopReason: "cancelled" };
      if (error)
        throw RequestError.internalError({ code: error.code, hint: error.hint }, error.message);
      return { stopReason: this.#stopReason };
    } finally {
      sent.stop();
    }
  }

  /** Resolves with `sent`, or once nothing more is sent from here. @throws why, if that is a failure */
  async #orClosed(sent: Promise<void>): Promise<void> {
    const closed = Promise.withResolvers<void>();
    const { signal } = this.#closed;
    signal.addEventListener("abort", () => closed.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([sent, closed.promise]);
    if (this.#failure) throw this.#failure;
  }

  close(): void {
    this.#closed.abort();
    for (const question of this.#asked.values()) question.abort();
  }
}

function stopReasonOf(reason: string | undefined): StopReason {
  if (reason === "max_tokens" || reason === "refusal") return reason;
  return "end_turn";
}
