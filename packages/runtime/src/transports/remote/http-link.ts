import { raceAbort } from "../../abort.ts";
import { errorMessage } from "../../errors.ts";
import { EventStreamParser } from "../../providers/sse.ts";
import type {
  ConnectOptions,
  RemoteAnswer,
  RemoteRequest,
  RemoteState,
  SessionLink,
} from "./link.ts";
import { problemError } from "./problem-error.ts";
import { readState } from "./read-wire.ts";
import { RemoteError, unreachable } from "./remote-error.ts";

/** Three pings of a server that sends one every 15 seconds. */
const SILENCE_MS = 45_000;

export interface HttpLinkOptions {
  /** The session's address. */
  address: string;
  fetch: typeof globalThis.fetch;
  /** The bearer token of the next request. */
  token: () => Promise<string | undefined>;
  /** Milliseconds without a byte after which a stream counts as lost; 45,000 when omitted. */
  silenceMs?: number | undefined;
}

interface Silence {
  ended: AbortSignal;
  /** @throws {RemoteError} `UNREACHABLE`, also when nothing has come for too long */
  unlessSilent: <Part>(part: Promise<Part>) => Promise<Part>;
}

/** A session over HTTP: requests by `fetch`, events as server-sent events. */
export class HttpLink implements SessionLink {
  readonly #options: HttpLinkOptions;

  constructor(options: HttpLinkOptions) {
    this.#options = options;
  }

  async connect({ after, onEvent, signal }: ConnectOptions): Promise<void> {
    const state = await this.state(signal);
    const { ended, unlessSilent } = this.#silence(signal);
    const headers = { accept: "text/event-stream", "last-event-id": String(after(state)) };
    const response = await unlessSilent(this.#fetch("/events", { headers, signal: ended }));
    if (!response.ok || !response.body) throw problemError(await answerOf(response));
    const parser = new EventStreamParser((data, event) => {
      // Tells clients of one turn that there is no more.
      if (event !== "done") onEvent(parsedEvent(data));
    });
    const reader = response.body.getReader();
    const read = async (): Promise<Uint8Array | undefined> =>
      (await unlessSilent(reader.read())).value;
    try {
      for (let bytes = await read(); bytes; bytes = await read()) parser.push(bytes);
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  /** The session's present state. @throws as `connect` */
  async state(signal?: AbortSignal): Promise<RemoteState> {
    const answer = await this.request({ method: "GET", path: "", signal });
    if (answer.status !== 200) throw problemError(answer);
    return readState(answer.body);
  }

  async request({ method, path, body, key, signal }: RemoteRequest): Promise<RemoteAnswer> {
    const response = await this.#fetch(path === "" ? "" : `/${path}`, {
      method,
      headers: key === undefined ? {} : { "idempotency-key": key },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    try {
      return await answerOf(response);
    } catch (cause) {
      throw lost(cause, signal);
    }
  }

  /** Imports a log as one that the caller trusts. Resolves to any answer, also a refusal. @throws {RemoteError} `UNREACHABLE` */
  async putLog(log: Blob, signal: AbortSignal): Promise<RemoteAnswer> {
    const response = await this.#fetch("/log?trusted=true", { method: "PUT", body: log, signal });
    try {
      return await answerOf(response);
    } catch (cause) {
      throw lost(cause, signal);
    }
  }

  async log(query: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#fetch(`/log${query}`, { signal: signal ?? null });
    if (!response.ok || !response.body) throw problemError(await answerOf(response));
    const reader = response.body.getReader();
    const { unlessSilent } = this.#silence(signal);
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await unlessSilent(reader.read());
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            reader.cancel().catch(() => undefined);
            throw error;
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Watches over a stream, whose parts are taken by `unlessSilent`; `ended` aborts when one is late. */
  #silence(signal: AbortSignal = new AbortController().signal): Silence {
    const { silenceMs = SILENCE_MS } = this.#options;
    const silence = new AbortController();
    const ended = AbortSignal.any([signal, silence.signal]);
    return {
      ended,
      async unlessSilent(part) {
        const timer = setTimeout(
          () => silence.abort(unreachable("it was silent for too long")),
          silenceMs,
        );
        try {
          return await raceAbort(part, ended);
        } catch (cause) {
          throw lost(cause, ended);
        } finally {
          clearTimeout(timer);
        }
      },
    };
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { address, fetch } = this.#options;
    const headers = new Headers(init.headers);
    const token = await this.#options.token();
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    try {
      // A redirect could lead the token elsewhere.
      return await fetch(address + path, { ...init, headers, redirect: "manual" });
    } catch (cause) {
      throw lost(cause, init.signal);
    }
  }
}

async function answerOf(response: Response): Promise<RemoteAnswer> {
  const text = await response.text();
  const seq = response.headers.get("session-seq");
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    status: response.status,
    body: parsed(text),
    seq: seq === null ? undefined : Number(seq),
    retryAfterMs: Number.isNaN(retryAfter) ? undefined : retryAfter * 1000,
  };
}

/** A proxy's page, such as for a bad gateway, is not JSON: its status counts. */
function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parsedEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new RemoteError("BAD_ANSWER", "The server sent an event that is not JSON", { cause });
  }
}

/** The caller's own abort is not a failure of the connection. */
function lost(cause: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return cause instanceof RemoteError ? cause : unreachable(errorMessage(cause), cause);
}
