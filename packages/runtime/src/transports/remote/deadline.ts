import { onAbort } from "../../abort.ts";
import { unreachable } from "./remote-error.ts";

/** The longest time of a timer, in milliseconds: with a longer one it ends at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time that a server has for its answer. */
export class Deadline implements Disposable {
  readonly #ending = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stopWatching: () => void;

  /** @param signal ends the request for another reason */
  constructor(ms: number, signal?: AbortSignal) {
    const late = (): void => this.#ending.abort(unreachable("it did not answer in time"));
    this.#timer = setTimeout(late, Math.max(0, Math.min(ms, MAX_TIMER_MS)));
    this.#stopWatching = onAbort(signal, () => this.#ending.abort(signal?.reason));
  }

  /** Aborts when there is no answer in time, with a `RemoteError` as its reason, or with the signal that was given. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Lets what follows the answer take any time. */
  met(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.met();
    this.#stopWatching();
  }
}
