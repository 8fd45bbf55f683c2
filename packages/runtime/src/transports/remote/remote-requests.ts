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
    return this.#link.log(query, signal);
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
    const isLast = (): boolean => isOnce || Date.now() >= giveUpAt;
    for (let failures = 0; ; failures += 1) {
      if (ended.aborted) throw this.#follower.failure ?? closed();
      let asked = 0;
      try {
        using deadline = new Deadline(giveUpAt - Date.now(), signal);
        const asking = this.#link.request({ ...request, signal: deadline.signal });
        const answer = await raceAbort(asking, deadline.signal);
        if (answer.status < 300) return answer;
        const refusal = problemError(answer, command);
        // The refusal of a second attempt may be due to the first.
        if (failures > 0 && isDone) {
          if (answer.seq !== undefined) await this.#follower.reached(answer.seq, CATCH_UP_MS);
          if (isDone(refusal)) return undefined;
        }
        if (!isPassingStatus(answer.status) || isLast()) throw refusal;
        asked = answer.retryAfterMs ?? 0;
      } catch (error) {
        if (signal.aborted || !mayPass(error) || isLast()) throw error;
      }
      await wait(Math.max(asked, delayBefore(failures, this.#options)), signal);
    }
  }
}

function closed(): SessionError {
  return new SessionError("CLOSED", "The remote session was closed", {
    hint: "Make another RemoteSession with its id.",
  });
}
