import { errorMessage } from "../../errors.ts";
import { bearerProtocol } from "../web-socket/bearer-protocol.ts";
import { PING, SOCKET_PROTOCOL } from "../web-socket/frames.ts";
import type { HttpLink } from "./http-link.ts";
import type { ConnectOptions, RemoteAnswer, RemoteRequest, SessionLink } from "./link.ts";
import { problemError } from "./problem-error.ts";
import { objectOf, readState } from "./read-wire.ts";
import { RemoteError, unreachable } from "./remote-error.ts";

const PING_MS = 15_000;
const SILENCE_MS = 45_000;
/** Characters of events that arrive between two acknowledgements: some of a server's window. */
const ACK_EVERY = 64 * 1024;

/** Operations that have no frame. */
const ONLY_HTTP: ReadonlySet<string> = new Set(["fork"]);

/** The part of a WebSocket that a client needs. */
export type ClientSocket = Pick<WebSocket, "send" | "close" | "addEventListener">;

export interface SocketLinkOptions {
  /** The session's address. */
  address: string;
  token: () => Promise<string | undefined>;
  /** Opens a socket. */
  connect: (url: string, protocols: string[]) => ClientSocket;
  /** The way for what a socket has no frames for, and for the reason of a refusal. */
  http: HttpLink;
  silenceMs?: number | undefined;
}

/** A session over one WebSocket, for events and requests. */
export class SocketLink implements SessionLink {
  readonly #options: SocketLinkOptions;
  readonly #answers = new Map<string, PromiseWithResolvers<RemoteAnswer>>();
  /** Open and greeted. */
  #socket: ClientSocket | undefined;
  #lastId = 0;

  constructor(options: SocketLinkOptions) {
    this.#options = options;
  }

  async connect({ after, onEvent, signal }: ConnectOptions): Promise<void> {
    const { address, token, http, silenceMs = SILENCE_MS } = this.#options;
    const bearer = await token();
    const protocols = [SOCKET_PROTOCOL, ...(bearer === undefined ? [] : [bearerProtocol(bearer)])];
    const socket = this.#options.connect(`${address.replace(/^http/, "ws")}/socket`, protocols);
    const ended = Promise.withResolvers<void>();
    let [received, acknowledged, isGreeted, isOver] = [0, 0, false, false];
    let silence: ReturnType<typeof setTimeout> | undefined;
    const fail = (error: unknown): void => {
      ended.reject(error);
      socket.close();
    };
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => fail(unreachable("it was silent for too long")), silenceMs);
    };
    const take = (text: string): void => {
      const frame = objectOf(JSON.parse(text));
      if (frame["type"] === "hello") {
        isGreeted = true;
        const from = after(readState(frame["state"]));
        this.#socket = socket;
        socket.send(JSON.stringify({ v: 1, type: "subscribe", after: from }));
      } else if (frame["type"] === "event") {
        onEvent(frame["event"]);
        received += text.length;
        if (received - acknowledged < ACK_EVERY) return;
        acknowledged = received;
        socket.send(JSON.stringify({ v: 1, type: "ack", received }));
      } else if (frame["type"] === "response") this.#answered(frame);
      else if (frame["type"] === "problem") {
        const body = objectOf(frame["problem"]);
        fail(problemError({ status: Number(body["status"]), body }));
      }
    };
    socket.addEventListener("message", ({ data }: MessageEvent) => {
      if (isOver) return;
      alive();
      try {
        take(String(data));
      } catch (error) {
        fail(error);
      }
    });
    socket.addEventListener("error", () => fail(unreachable("the socket failed")));
    socket.addEventListener("close", () => ended.resolve());
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    alive();
    const ping = setInterval(() => isGreeted && socket.send(PING), PING_MS);
    try {
      await ended.promise;
    } catch (error) {
      // A socket does not tell why it was refused; a request does.
      if (!isGreeted && error instanceof RemoteError && !signal.aborted) await http.state(signal);
      throw error;
    } finally {
      isOver = true;
      clearTimeout(silence);
      clearInterval(ping);
      signal.removeEventListener("abort", onAbort);
      this.#lost();
    }
    if (!isGreeted) await http.state(signal);
  }

  async request(request: RemoteRequest): Promise<RemoteAnswer> {
    const socket = this.#socket;
    if (!socket || ONLY_HTTP.has(request.path)) return this.#options.http.request(request);
    const { signal, ...fields } = request;
    signal?.throwIfAborted();
    this.#lastId += 1;
    const id = String(this.#lastId);
    const answer = Promise.withResolvers<RemoteAnswer>();
    this.#answers.set(id, answer);
    const onAbort = (): void => answer.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      socket.send(JSON.stringify({ v: 1, type: "request", id, ...fields }));
      return await answer.promise;
    } catch (cause) {
      if (signal?.aborted || cause instanceof RemoteError) throw cause;
      throw unreachable(errorMessage(cause), cause);
    } finally {
      this.#answers.delete(id);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  log(query: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return this.#options.http.log(query, signal);
  }

  #answered({ id, status, body, seq, retryAfterMs }: Record<string, unknown>): void {
    this.#answers.get(String(id))?.resolve({
      status: Number(status),
      body,
      seq: typeof seq === "number" ? seq : undefined,
      retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined,
    });
  }

  #lost(): void {
    this.#socket = undefined;
    for (const answer of this.#answers.values())
      answer.reject(unreachable("the socket closed before the answer"));
  }
}
