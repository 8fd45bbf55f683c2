import { SessionError } from "../../errors.ts";
import { raceAbort, wait } from "../../abort.ts";
import type { SessionPlace } from "../../session/log/notes.ts";
import type { HandOverOptions } from "../../session/transfer/hand-over.ts";
import { delayBefore, type Delays } from "./backoff.ts";
import { Deadline } from "./deadline.ts";
import type { RemoteAnswer, RemoteRequest, SessionLink } from "./link.ts";
import { problemError } from "./problem-error.ts";
import { isPassingStatus, mayPass, type SessionFollower } from "./session-follower.ts";

/** Time that an answer's caller waits for the events behind it, in milliseconds. */
const CATCH_UP_MS = 5_000;
/** How long requests are tried when nobody says otherwise, in milliseconds. */
export const TRY_FOR_MS = 30_000;
/** The longest time that a server gives running calls before a session stops there, in milliseconds. */
const MAX_WAIT_MS = 60_000;
/** For work on files, which takes as long as there are many. */
export const LONG_AND_ONCE = { forMs: Infinity, isOnce: true } as const;

export interface RemoteSendOptions {
  /** Milliseconds until an answer has to be there; meanwhile, the request is sent again when it failed. */
  forMs?: number | undefined;
  /** True for a request that must not be done twice: it is not sent again. */
  isOnce?: boolean | undefined;
  /** True for a refusal that says that an earlier attempt, whose answer was lost, was done. */
  isDone?: ((refusal: unknown) => boolean) | undefined;
  /** Name of the command that it runs, for its refusal. */
  command?: string | undefined;
}

/** Requests to a session elsewhere. Their answers come when the copy of its log has got what they changed. */
export class RemoteRequests {
  readonly #link: SessionLink;
  readonly #follower: SessionFollower;
  readonly #options: Delays & { timeoutMs?: number | undefined };

  constructor(
    link: SessionLink,
    follower: SessionFollower,
    options: Delays & { timeoutMs?: number | undefined },
  ) {
    this.#link = link;
    this.#follower = follower;
    this.#options = options;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? TRY_FOR_MS;
  }

  get<Body>(path: string): Promise<Body> {
    return this.#body<Body>({ method: "GET", path });
  }

  post<Body>(path: string, body: unknown, options: RemoteSendOptions = {}): Promise<Body> {
    return this.#body<Body>({ method: "POST", path, body }, options);
  }

  /** @param path of a part of the session; the session itself when omitted */
  async patch(body: unknown, path = ""): Promise<void> {
    await this.#body({ method: "PATCH", path, body });
  }

  async delete(path: string, options: RemoteSendOptions = {}): Promise<void> {
    await this.#body({ method: "DELETE", path }, options);
  }

  async handOver({ to, waitMs }: HandOverOptions): Promise<SessionPlace> {
    const forMs = this.#timeoutMs + (waitMs ?? MAX_WAIT_MS);
    return (await this.post<{ to: SessionPlace }>("hand-over", { to, waitMs }, { forMs })).to;
  }

  async log(query: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const deadline = new Deadline(this.#timeoutMs, signal);
    try {
      return await raceAbort(this.#link.log(query, deadline.signal), deadline.signal);
    } finally {
      // From here on, only the caller's signal ends it.
      deadline.met();
    }
  }

  async #body<Body>(request: RemoteRequest, options: RemoteSendOptions = {}): Promise<Body> {
    await this.#follower.opened;
    const { body } = await this.send(request, options);
    // As the route is described; nothing of it becomes code or a path.
    return body as Body;
  }

  /** Resolves to the answer, once the events up to it are there. @throws its refusal as the session's own error */
  async send(request: RemoteRequest, options: RemoteSendOptions = {}): Promise<RemoteAnswer> {
    const answer = await this.#attempts(request, options);
    if (answer?.seq !== undefined) await this.#follower.reached(answer.seq, CATCH_UP_MS);
    return answer ?? { status: 204, body: undefined };
  }

  async #attempts(
    request: RemoteRequest,
    { forMs = this.#timeoutMs, isOnce = false, isDone, command }: RemoteSendOptions,
  ): Promise<RemoteAnswer | undefined> {
    const { signal: ended } = this.#follower;
    const signal = request.signal ? AbortSignal.any([request.signal, ended]) : ended;
    const giveUpAt = Date.now() + forMs;
    // A request that waits for a connection is not bound to one that broke without a word.
    const attemptMs = forMs === Infinity ? this.#timeoutMs : forMs;
    // Trouble that the server itself reports may pass for as long as a request is tried otherwise.
    let refusedUntil = Infinity;
    for (let failures = 0; ; failures += 1) {
      if (ended.aborted) throw this.#follower.failure ?? closed();
      const answer = await this.#attempt(
        { ...request, signal },
        isOnce ? forMs : Math.min(giveUpAt - Date.now(), attemptMs),
      ).catch((error: unknown) => {
        if (signal.aborted || !mayPass(error) || isOnce || Date.now() >= giveUpAt) throw error;
      });
      if (answer && answer.status < 300) return answer;
      if (answer) {
        const refusal = problemError(answer, command);
        // The refusal of a second attempt may be due to the first.
        if (failures > 0 && isDone) {
          if (answer.seq !== undefined) await this.#follower.reached(answer.seq, CATCH_UP_MS);
          if (isDone(refusal)) return undefined;
        }
        if (isOnce || !isPassingStatus(answer.status)) throw refusal;
        const now = Date.now();
        refusedUntil = isAbsence(answer) ? Infinity : Math.min(refusedUntil, now + this.#timeoutMs);
        if (now + (answer.retryAfterMs ?? 0) >= Math.min(giveUpAt, refusedUntil)) throw refusal;
      } else refusedUntil = Infinity;
      const asked = answer?.retryAfterMs ?? 0;
      await wait(Math.max(asked, delayBefore(failures, this.#options)), signal);
    }
  }

  /** Resolves to any answer that is there in time. @throws as `SessionLink.request` */
  async #attempt(
    request: RemoteRequest & { signal: AbortSignal },
    ms: number,
  ): Promise<RemoteAnswer> {
    using deadline = new Deadline(ms, request.signal);
    const asking = this.#link.request({ ...request, signal: deadline.signal });
    return await raceAbort(asking, deadline.signal);
  }
}

function closed(): SessionError {
  return new SessionError("CLOSED", "The remote session was closed", {
    hint: "Make another RemoteSession with its id.",
  });
}

/** True where it is not the server that answers, but a proxy that does not reach it. */
function isAbsence({ status, body }: RemoteAnswer): boolean {
  return body === undefined && status >= 502;
}
