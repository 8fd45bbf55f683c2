import type { CommandResult } from "../../../interactive/commands/command.ts";
import { onAbort, raceAbort } from "../../../abort.ts";
import type { ExecutionResult } from "../../../interactive/types.ts";
import type { SessionEvent } from "../../../session/log/events.ts";
import { digest } from "../../http/digest.ts";
import type { RemoteRequests } from "../remote-requests.ts";
import { type ResultOf, TurnWaits, type UnwantedPrompts } from "./turn-waits.ts";

/** A request that begins a turn. */
export interface PromptRequest {
  path: string;
  /** One that takes time to make is made once the prompts before it have arrived. */
  body: object | (() => Promise<object>);
  /** Ends what it began, and nothing else. */
  signal?: AbortSignal | undefined;
}

/** The turn of such a request. A command that begins none has a `result` instead. */
export interface BegunTurn {
  turn: Promise<ExecutionResult>;
  result?: CommandResult;
}

export interface SentPromptsOptions {
  /** Resolves when requests can be sent. */
  ready: () => Promise<void>;
  requests: RemoteRequests;
  resultOf: ResultOf;
  /** The prompts at the server that nobody waits for any more. */
  unwanted: UnwantedPrompts;
  /** True once the connection has ended for good. */
  isClosed: () => boolean;
}

/** The prompts of this client: each is sent until it has arrived, and waits for the end of its turn. */
export class SentPrompts {
  readonly #options: SentPromptsOptions;
  readonly #waits: TurnWaits;
  /** Requests under way. */
  readonly #sending = new Set<AbortController>();
  /** Settles when the server has answered the last prompt: requests side by side may overtake each other. */
  #lastSent: Promise<unknown> = Promise.resolve();

  constructor(options: SentPromptsOptions) {
    this.#options = options;
    this.#waits = new TurnWaits(options.resultOf, options.unwanted);
  }

  /** Number of prompts whose turns have not ended. */
  get size(): number {
    return this.#waits.size;
  }

  /** Sends a request behind the one before it, and waits for the end of its turn. */
  submit(request: PromptRequest): Promise<ExecutionResult> {
    const sent = this.begin(request, this.#lastSent);
    this.#lastSent = sent.catch(() => undefined);
    return sent.then(({ turn }) => turn);
  }

  /** Sends a request `after` something else, and resolves once it has arrived. */
  async begin({ path, body, signal }: PromptRequest, after?: Promise<unknown>): Promise<BegunTurn> {
    try {
      await (signal ? raceAbort(this.#options.ready(), signal) : this.#options.ready());
    } catch (error) {
      if (!signal?.aborted) throw error;
      return { turn: Promise.resolve(this.#options.resultOf(undefined)) };
    }
    const key = crypto.randomUUID();
    const id = await digest(key);
    const turn = this.#waits.begin(id);
    const sending = new AbortController();
    this.#sending.add(sending);
    const stopWatching = onAbort(signal, () => {
      if (!this.#waits.abort(id)) sending.abort();
    });
    const settled = (): void => {
      stopWatching();
      // Its answer may have been lost.
      sending.abort();
    };
    turn.then(settled, settled);
    try {
      await after;
      sending.signal.throwIfAborted();
      const answer = await this.#options.requests.send(
        { method: "POST", path, body: await made(body), key, signal: sending.signal },
        { command: path.slice(path.lastIndexOf("/") + 1), forMs: Infinity },
      );
      const { turnId, queued, ...result } = answer.body as {
        turnId?: string | null;
        queued?: boolean;
      };
      const hasNoTurn = answer.status === 200;
      if (hasNoTurn || (turnId === null && queued === false)) this.#waits.drop(id);
      return hasNoTurn ? { turn, result: result as CommandResult } : { turn };
    } catch (error) {
      if (!sending.signal.aborted || this.#options.isClosed()) {
        this.#waits.refuse(id, error);
        throw error;
      }
      this.#waits.drop(id);
      return { turn };
    } finally {
      this.#sending.delete(sending);
    }
  }

  /** Drops the prompts that have not reached the server yet. */
  dropUnsent(): void {
    for (const sending of this.#sending) sending.abort();
  }

  /** Rejects all that wait. */
  refuseAll(error: unknown): void {
    this.#waits.refuseAll(error);
  }

  take(event: SessionEvent): void {
    this.#waits.take(event);
  }
}

async function made(body: PromptRequest["body"]): Promise<object> {
  return typeof body === "function" ? body() : body;
}
