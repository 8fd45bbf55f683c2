import type { ExecutionResult } from "../../../interactive/types.ts";
import type { SessionEvent } from "../../../session/log/events.ts";

/** A prompt of this client, until its turn has ended. */
interface Wait {
  turnId: string | undefined;
  /** True once the session's queue had it. */
  isQueued: boolean;
  resolve: (result: ExecutionResult) => void;
  reject: (error: unknown) => void;
}

/** Builds the outcome of a turn from its end; of a prompt that was dropped without one. */
export type ResultOf = (
  end: Extract<SessionEvent, { type: "turn_end" }> | undefined,
) => ExecutionResult;

/** Ends prompts of this client at the server. */
export interface UnwantedPrompts {
  stop: (turnId: string) => void;
  /** Takes the prompt of a request out of the queue. */
  remove: (key: string) => void;
}

/**
 * The prompts of this client by the digests of their keys. Their turns are found by the key that the log has with them, also
 * when the answer to the request was lost.
 */
export class TurnWaits {
  readonly #waits = new Map<string, Wait>();
  /** Keys of aborted requests whose turns have not begun, as far as is known here. */
  readonly #unwanted = new Set<string>();
  readonly #resultOf: ResultOf;
  readonly #server: UnwantedPrompts;

  constructor(resultOf: ResultOf, server: UnwantedPrompts) {
    this.#resultOf = resultOf;
    this.#server = server;
  }

  get size(): number {
    return this.#waits.size;
  }

  /** Resolves when the turn of the request has ended, in any way. */
  begin(key: string): Promise<ExecutionResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    // Its caller may still wait for the request's answer.
    promise.catch(() => undefined);
    this.#waits.set(key, { turnId: undefined, isQueued: false, resolve, reject });
    return promise;
  }

  /** Ends the wait for a request that came to no turn. */
  drop(key: string): void {
    this.#settle(key, (wait) => wait.resolve(this.#resultOf(undefined)));
  }

  /**
   * Ends the prompt of a request where it is, and where it turns up later: it may be on its way. Returns false when the server
   * is not known to have it.
   */
  abort(key: string): boolean {
    const { turnId, isQueued = false } = this.#waits.get(key) ?? {};
    if (turnId === undefined) this.#unwanted.add(key);
    else this.#server.stop(turnId);
    if (isQueued) this.#server.remove(key);
    return isQueued || turnId !== undefined;
  }

  refuse(key: string, error: unknown): void {
    this.#settle(key, (wait) => wait.reject(error));
  }

  refuseAll(error: unknown): void {
    for (const key of this.#waits.keys()) this.refuse(key, error);
  }

  take(event: SessionEvent): void {
    if (this.#waits.size + this.#unwanted.size === 0) return;
    if (event.type === "turn_start") {
      const { request, turnId = "" } = event;
      if (request && this.#unwanted.delete(request.key)) this.#server.stop(turnId);
      const wait = request && this.#waits.get(request.key);
      if (wait) wait.turnId = turnId;
    } else if (event.type === "queue_update") {
      const queued = new Set(event.requests?.map((request) => request?.key));
      for (const [key, wait] of this.#waits) {
        if (queued.has(key)) wait.isQueued = true;
        else if (wait.isQueued && wait.turnId === undefined) this.drop(key);
      }
      for (const key of this.#unwanted) if (queued.has(key)) this.#server.remove(key);
    } else if (event.type === "turn_end") {
      for (const [key, wait] of this.#waits)
        if (wait.turnId !== undefined && wait.turnId === event.turnId)
          this.#settle(key, () => wait.resolve(this.#resultOf(event)));
    }
  }

  #settle(key: string, settle: (wait: Wait) => void): void {
    const wait = this.#waits.get(key);
    this.#waits.delete(key);
    if (wait) settle(wait);
  }
}
