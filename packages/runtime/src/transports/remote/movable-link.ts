import { onAbort } from "../../abort.ts";
import type { ConnectOptions, RemoteAnswer, RemoteRequest, SessionLink } from "./link.ts";

/** The way to a session that may move to another server while it is followed. */
export class MovableLink implements SessionLink {
  #link: SessionLink;
  #moved = new AbortController();

  constructor(link: SessionLink) {
    this.#link = link;
  }

  /** Takes another way from now on. A connection ends, to be made again there. */
  moveTo(link: SessionLink): void {
    this.#link = link;
    this.#moved.abort();
    this.#moved = new AbortController();
  }

  connect(options: ConnectOptions): Promise<void> {
    const moved = this.#moved.signal;
    const connected = this.#link.connect({
      // A state that was asked for before the move is that of the former place.
      after: (state) => {
        moved.throwIfAborted();
        return options.after(state);
      },
      onEvent: (event) => {
        if (!moved.aborted) options.onEvent(event);
      },
      signal: AbortSignal.any([options.signal, moved]),
    });
    // Not every connection ends at an abort at once.
    const left = Promise.withResolvers<never>();
    const stopWatching = onAbort(moved, () => left.reject(moved.reason));
    return Promise.race([connected, left.promise]).finally(stopWatching);
  }

  request(request: RemoteRequest): Promise<RemoteAnswer> {
    return this.#link.request(request);
  }

  log(query: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#link.log(query, signal);
  }
}
