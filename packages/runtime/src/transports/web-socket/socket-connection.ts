import { defined } from "../../defined.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import { limitProblem } from "../http/limits/usage.ts";
import type { UsageCounter } from "../http/limits/usage-counter.ts";
import { operationOf } from "../http/principal/operation-of.ts";
import { requireScope, withPrincipal } from "../http/principal/principal.ts";
import { HttpProblem, isExpected, problemResponse } from "../http/problem.ts";
import {
  CLOSE,
  FRAME_VERSION,
  PONG,
  readClientFrame,
  type RequestFrame,
  type ServerFrame,
} from "./frames.ts";
import { forgetState, keepState, type ServerSocket, type SocketState } from "./socket.ts";

export interface SocketLimits {
  /** Bytes of one frame; 1 MiB when omitted. */
  frameBytes: number;
  /** Frames in a second, on average; four times as many at once. 50 when omitted. */
  framesPerSecond: number;
  /** Requests of one socket that are worked on at a time; 16 when omitted. */
  requests: number;
  /** Characters of events on their way; 256 Ki when omitted. */
  window: number;
  /** Milliseconds for which a reader may leave a full window alone; 60,000 when omitted. */
  slowMs: number;
  /** Sockets of one session at a time; one more ends the oldest. 8 when omitted. */
  socketsPerSession: number;
}

export interface ConnectionOptions {
  open: (state: SocketState) => Promise<InteractiveSession | undefined>;
  fetch: (request: Request) => Response | Promise<Response>;
  isAllowed: (state: SocketState) => boolean | Promise<boolean>;
  countRequest: UsageCounter["request"] | undefined;
  onError: (error: unknown) => void;
  limits: SocketLimits;
}

/** Streamed words between two checks that their reader may still have them; other events are checked each. */
const CHECK_EVERY = 256;
/** Requests of clients; the greeting belongs to the request that opened the socket. */
const COUNTED = { isCounted: true };
/** Streamed words are not worth keeping the place for: a client that gets some twice knows their numbers. */
const DELTAS: ReadonlySet<string> = new Set(["text_delta", "thinking_delta", "tool_output"]);

/** One socket of one session. */
export class SocketConnection {
  readonly #socket: ServerSocket;
  readonly #options: ConnectionOptions;
  readonly #gone = new AbortController();
  #state: SocketState;
  #isFollowing = false;
  /** Characters of events. */
  #sent = 0;
  #received = 0;
  #hasRoom = (): void => {};
  #requests = 0;
  /** Frames that may come at once. */
  #tokens: number;
  #filledAt = Date.now();

  constructor(socket: ServerSocket, state: SocketState, options: ConnectionOptions) {
    this.#socket = socket;
    this.#state = state;
    this.#options = options;
    this.#tokens = 4 * options.limits.framesPerSecond;
  }

  get sessionId(): string {
    return this.#state.sessionId;
  }

  /** Greets a new client with the session's state. */
  async begin(): Promise<void> {
    keepState(this.#socket, this.#state);
    const { status, body } = await this.#answer({ method: "GET", path: "" });
    if (status === 200) this.#send({ v: FRAME_VERSION, type: "hello", state: body });
    else this.#refuse(body, status === 404 ? CLOSE.notFound : CLOSE.refused);
  }

  /** Continues after a sleep of the host. */
  resume(): void {
    if (this.#state.after !== undefined) this.#follow();
  }

  async receive(data: string | ArrayBuffer): Promise<void> {
    const { limits } = this.#options;
    if (typeof data !== "string") return this.close(CLOSE.unsupported, "Frames are text.");
    // No character takes less than a byte.
    if (
      data.length > limits.frameBytes ||
      new TextEncoder().encode(data).length > limits.frameBytes
    )
      return this.close(CLOSE.tooLarge, `A frame has at most ${limits.frameBytes} bytes.`);
    if (!this.#takesOneMore())
      return this.close(CLOSE.flooded, `At most ${limits.framesPerSecond} frames a second.`);
    const frame = readClientFrame(data);
    if (!frame) return this.close(CLOSE.malformed, "The frame is not valid in this protocol.");
    switch (frame.type) {
      case "ping":
        return this.#sendText(PONG);
      case "ack":
        this.#received = Math.min(this.#sent, frame.received);
        return this.#hasRoom();
      case "subscribe":
        if (this.#state.after !== undefined)
          return this.close(CLOSE.malformed, "A socket subscribes once.");
        this.#state = { ...this.#state, after: frame.after };
        keepState(this.#socket, this.#state);
        return this.#follow();
      case "request":
        return this.#respond(frame);
    }
  }

  close(code: number, reason: string): void {
    if (this.#gone.signal.aborted) return;
    this.closed();
    // A frame that is on its way does not bring it back.
    forgetState(this.#socket);
    try {
      this.#socket.close(code, reason);
    } catch {
      // Closed from the other side meanwhile.
    }
  }

  /** The socket is gone: nothing is sent any more. */
  closed(): void {
    this.#gone.abort();
    this.#hasRoom();
  }

  async #respond({ id, ...request }: RequestFrame): Promise<void> {
    const isFull = this.#requests >= this.#options.limits.requests;
    this.#requests += 1;
    try {
      const answer = isFull ? await answerOf(tooMany()) : await this.#answer(request, COUNTED);
      this.#send({ v: FRAME_VERSION, type: "response", id, ...answer });
      if (answer.status === 401) this.close(CLOSE.refused, "Refused.");
    } finally {
      this.#requests -= 1;
    }
  }

  /** A request in the principal's name, with all checks of the routes. */
  async #answer(
    { method, path, body, key }: Pick<RequestFrame, "method" | "path" | "body" | "key">,
    { isCounted } = { isCounted: false },
  ) {
    const { sessionId, principal } = this.#state;
    try {
      if (!(await this.#options.isAllowed(this.#state))) return await answerOf(noLonger());
      const url = new URL(
        `http://session/v1/sessions/${sessionId}${path === "" ? "" : `/${path}`}`,
      );
      // A path can't lead out of the session, nor to a stream, which has no end.
      const isOwn =
        url.pathname.split("/")[3] === sessionId &&
        !/\/(?:events|socket|log)$/.test(url.pathname) &&
        !url.searchParams.has("profile");
      if (!isOwn) return await answerOf(noRoute());
      const operation = operationOf(method, url.pathname);
      if (!operation) return await answerOf(noRoute());
      // Over HTTP, the front has asked this.
      if (operation.scope !== "public") requireScope(principal, operation.scope);
      const { spends = false } = operation;
      const refusal =
        isCounted && (await this.#options.countRequest?.(principal.owner, { spends }));
      if (refusal) throw limitProblem(refusal);
      const request = new Request(url, {
        method,
        headers: key === undefined ? {} : { "idempotency-key": key },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return await answerOf(await this.#options.fetch(withPrincipal(request, principal)));
    } catch (error) {
      if (!isExpected(error)) this.#options.onError(error);
      return answerOf(problemResponse(error));
    }
  }

  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#pump().catch((error: unknown) => {
      if (this.#gone.signal.aborted) return;
      this.#options.onError(error);
      this.close(CLOSE.failed, "The session's events can't be read.");
    });
  }

  /** Sends events as fast as they are read. What a slow reader leaves stays in the log, from which it comes later. */
  async #pump(): Promise<void> {
    const session = await this.#options.open(this.#state);
    if (!session) return this.#refuse(undefined, CLOSE.notFound);
    const { signal } = this.#gone;
    let count = 0;
    for await (const event of session.events({ after: this.#state.after ?? 0, signal })) {
      if (!(await this.#awaitRoom())) return undefined;
      count += 1;
      const isChecked = !DELTAS.has(event.type) || count % CHECK_EVERY === 0;
      if (isChecked && !(await this.#options.isAllowed(this.#state)))
        return this.#refuse(await problemOf(noLonger()), CLOSE.refused);
      const text = JSON.stringify({ v: FRAME_VERSION, type: "event", event });
      this.#sent += text.length;
      this.#sendText(text);
      this.#state = { ...this.#state, after: event.seq };
      if (!DELTAS.has(event.type)) keepState(this.#socket, this.#state);
    }
    return this.close(CLOSE.goingAway, "The session was closed here.");
  }

  /** Resolves when the reader has taken some of what was sent; to `false` when the socket is gone. */
  async #awaitRoom(): Promise<boolean> {
    const { window, slowMs } = this.#options.limits;
    if (this.#sent - this.#received >= window) {
      const slow = setTimeout(
        () => this.close(CLOSE.tooSlow, "Events were not read; connect again to continue."),
        slowMs,
      );
      while (this.#sent - this.#received >= window && !this.#gone.signal.aborted)
        await new Promise<void>((resolve) => (this.#hasRoom = resolve));
      clearTimeout(slow);
    }
    return !this.#gone.signal.aborted;
  }

  #takesOneMore(): boolean {
    const { framesPerSecond } = this.#options.limits;
    const now = Date.now();
    const filled = this.#tokens + ((now - this.#filledAt) / 1000) * framesPerSecond;
    this.#tokens = Math.min(4 * framesPerSecond, filled) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0;
  }

  #refuse(problem: unknown, code: number): void {
    if (problem !== undefined) this.#send({ v: FRAME_VERSION, type: "problem", problem });
    this.close(code, "Refused.");
  }

  #send(frame: ServerFrame): void {
    this.#sendText(JSON.stringify(frame));
  }

  #sendText(text: string): void {
    if (this.#gone.signal.aborted) return;
    try {
      this.#socket.send(text);
    } catch {
      // Closed from the other side meanwhile.
      this.closed();
    }
  }
}

async function answerOf(response: Response): Promise<Answer> {
  // A file, whose bytes a frame of JSON can't have.
  if (response.body && !/[/+]json\b/.test(response.headers.get("content-type") ?? "")) {
    await response.body.cancel();
    return answerOf(noRoute());
  }
  const text = await response.text();
  const seq = response.headers.get("session-seq");
  const retryAfter = response.headers.get("retry-after");
  return defined({
    status: response.status,
    body: text === "" ? undefined : (JSON.parse(text) as unknown),
    seq: seq === null ? undefined : Number(seq),
    retryAfterMs: retryAfter === null ? undefined : Number(retryAfter) * 1000,
  });
}

type Answer = Omit<Extract<ServerFrame, { type: "response" }>, "v" | "type" | "id">;

async function problemOf(response: Response): Promise<unknown> {
  return response.json();
}

function tooMany(): Response {
  return problemResponse(
    new HttpProblem(429, "TOO_MANY_REQUESTS", "Too many requests of this socket are under way.", {
      hint: "Wait for the answers of some.",
      headers: { "retry-after": "1" },
    }),
  );
}

function noRoute(): Response {
  return problemResponse(
    new HttpProblem(404, "NO_SUCH_ROUTE", "There is no such route for a socket.", {
      hint: "Events come by themselves; the log and the contents of files are had over HTTP.",
    }),
  );
}

function noLonger(): Response {
  return problemResponse(
    new HttpProblem(401, "UNAUTHORIZED", "The token of this socket is not good any more.", {
      hint: "Connect again with another token.",
    }),
  );
}
