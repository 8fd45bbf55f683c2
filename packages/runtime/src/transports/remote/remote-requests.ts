import { SessionError } from "../../errors.ts";
import { wait } from "../../providers/wait.ts";
import { delayBefore, type Delays } from "./backoff.ts";
import type { RemoteAnswer, RemoteRequest, SessionLink } from "./link.ts";
import { problemError } from "./problem-error.ts";
import { isPassingStatus, mayPass, type SessionFollower } from "./session-follower.ts";

/** Time that an answer's caller waits for the events behind it, in milliseconds. */
const CATCH_UP_MS = 5_000;
const TRY_FOR_MS = 30_000;

export interface RemoteSendOptions {
  /** Milliseconds for which the request is sent again when no answer arrives; 0 for one that must not be done twice. */
  forMs?: number | undefined;
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
    { forMs = this.#options.timeoutMs ?? TRY_FOR_MS, isDone, command }: RemoteSendOptions,
  ): Promise<RemoteAnswer | undefined> {
    const { signal: ended } = this.#follower;
    const signal = request.signal ? AbortSignal.any([request.signal, ended]) : ended;
    const giveUpAt = Date.now() + forMs;
    for (let failures = 0; ; failures += 1) {
      if (ended.aborted) throw this.#follower.failure ?? closed();
      let asked = 0;
      try {
        const answer = await this.#link.request({ ...request, signal });
        if (answer.status < 300) return answer;
        const refusal = problemError(answer, command);
        // The refusal of a second attempt may be due to the first.
        if (failures > 0 && isDone) {
          if (answer.seq !== undefined) await this.#follower.reached(answer.seq, CATCH_UP_MS);
          if (isDone(refusal)) return undefined;
        }
        if (!isPassingStatus(answer.status) || Date.now() >= giveUpAt) throw refusal;
        asked = answer.retryAfterMs ?? 0;
      } catch (error) {
        if (signal.aborted || !mayPass(error) || Date.now() >= giveUpAt) throw error;
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
