import { Hono } from "hono";
import { cors } from "hono/cors";
import { ConfigurationError } from "../../errors.ts";
import type { Message } from "../../messages/message.ts";
import type { Provider } from "../../providers/provider.ts";
import {
  decodeRequest,
  encodeEvent,
  encodeFailure,
  type RemoteOptions,
  type RemoteRequest,
} from "../../providers/remote/wire.ts";
import { authenticate, type Owner } from "./authenticate.ts";
import { limitProblem } from "./limits/usage.ts";
import type { UsageCounter } from "./limits/usage-counter.ts";
import { type Principal, requireScope } from "./principal/principal.ts";
import { checkTokens, type TokenTable } from "./principal/tokens.ts";
import { HttpProblem, isExpected, methodNotAllowed, problemResponse } from "./problem.ts";
import { BODY_IDLE_MS, type BodyLimits } from "./body/body-limits.ts";
import { type BodyDefinition, readBody } from "./body/read-body.ts";

const PING_MS = 15_000;
/** Whole conversations come in one body, pictures included. */
const LIMITS: BodyLimits = {
  bodyBytes: 16 * 1024 * 1024,
  jsonDepth: 64,
  bodyIdleMs: BODY_IDLE_MS,
};
const BODY: BodyDefinition<unknown> = {
  load: async () => (await import("./body/remote-request.ts")).REMOTE_BODY,
};

export interface ExecutorHandlerOptions {
  /** Owners and their bearer tokens, which need the scope `prompt`. */
  tokens?: TokenTable | undefined;
  /** Admits anonymous callers under this name; the provider's cost is then open to everybody. */
  anonymousOwner?: Owner | undefined;
  /** Permitted models; only the provider's own by default. */
  models?: readonly string[] | undefined;
  /** Maximum tokens of one answer, whatever the request asks for. */
  maxTokens?: number | undefined;
  /** Web origins that may call, such as `https://app.example`. No wildcard. */
  allowedOrigins?: readonly string[] | undefined;
  /** Makes the provider of a caller, such as one whose use is counted; everybody's is the same when omitted. */
  providerFor?: ((principal: Principal, provider: Provider) => Provider) | undefined;
  /** Counts the requests of callers, and says which to refuse. Nothing is counted when omitted. */
  countRequest?: UsageCounter["request"] | undefined;
  limits?: Partial<BodyLimits> | undefined;
  /** Milliseconds between comments on quiet streams; 15,000 when omitted. */
  pingIntervalMs?: number | undefined;
  /** Called with failures of the server or the provider. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Lets others run a provider over HTTP, without its key: the other side of `SimpleRemoteExecutor`. The function it
 * returns answers every `POST`, in a worker and behind any server that speaks `Request` and `Response`.
 *
 * @throws {ConfigurationError} without tokens, unless `anonymousOwner` opens it on purpose
 */
export function executorHandler(
  provider: Provider,
  options: ExecutorHandlerOptions,
): (request: Request) => Promise<Response> {
  const { tokens = {}, anonymousOwner, allowedOrigins = [], limits, onError = () => {} } = options;
  checkAccess(options);
  const app = new Hono();
  app.onError((error) => {
    if (!isExpected(error)) onError(error);
    return problemResponse(error);
  });
  app.use(
    cors({
      origin: [...allowedOrigins],
      allowMethods: ["POST"],
      allowHeaders: ["Authorization", "Content-Type"],
      exposeHeaders: ["Retry-After", "WWW-Authenticate"],
      maxAge: 600,
    }),
  );
  app.post("*", async (context) => {
    const { raw } = context.req;
    checkOrigin(raw, allowedOrigins);
    const principal = await authenticate(context.req.header("authorization"), {
      tokens,
      anonymousOwner,
    });
    requireScope(principal, "prompt", "Running a model");
    const refusal = await options.countRequest?.(principal.owner, { spends: true });
    if (refusal) throw limitProblem(refusal);
    const body = await readBody(raw, BODY, { ...LIMITS, ...limits });
    // Validation covers only the fields of messages that a provider relies on.
    const request = decodeRequest(body as { messages: Message[]; options?: RemoteOptions });
    checkModel(request, provider, options);
    const own = options.providerFor?.(principal, provider) ?? provider;
    return stream(own, request, raw.signal, options);
  });
  app.all("*", () => {
    throw methodNotAllowed(["POST"]);
  });
  return async (request) => app.fetch(request);
}

function checkAccess({
  tokens = {},
  anonymousOwner,
  allowedOrigins = [],
}: ExecutorHandlerOptions): void {
  if (anonymousOwner === undefined && Object.keys(tokens).length === 0) {
    throw new ConfigurationError("This executor has no token, so nobody could use it", {
      hint: "Give it `tokens`, or open it to everybody on purpose with `anonymousOwner`.",
    });
  }
  checkTokens(tokens);
  if (allowedOrigins.includes("*")) {
    throw new ConfigurationError("`*` is not an origin", {
      hint: "Name each origin that may call.",
    });
  }
}

function checkOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get("origin");
  if (origin === null || origin === new URL(request.url).origin || allowed.includes(origin)) return;
  throw new HttpProblem(403, "ORIGIN_NOT_ALLOWED", `Pages of ${origin} may not call this server.`, {
    hint: "Its operator can add the origin to `allowedOrigins`.",
  });
}

function checkModel(
  { options }: RemoteRequest,
  provider: Provider,
  { models = [provider.model], maxTokens }: ExecutorHandlerOptions,
): void {
  const model = options.model ?? provider.model;
  if (!models.includes(model)) {
    throw new HttpProblem(403, "MODEL_NOT_ALLOWED", `The model ${model} can't be asked for here.`, {
      hint: `This server offers ${models.join(", ")}.`,
    });
  }
  if (maxTokens !== undefined)
    options.maxTokens = Math.min(options.maxTokens ?? maxTokens, maxTokens);
}

/** The call as server-sent events. A reader that is gone, or too slow to ask for more, ends or holds the call. */
function stream(
  provider: Provider,
  { messages, options }: RemoteRequest,
  disconnected: AbortSignal,
  { pingIntervalMs = PING_MS, onError = () => {} }: ExecutorHandlerOptions,
): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const signal = AbortSignal.any([disconnected, gone.signal]);
  const events = provider.chatStream(messages, { ...options, signal })[Symbol.asyncIterator]();
  let ping: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ping = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": ping\n\n"));
      }, pingIntervalMs);
    },
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        const next = await events.next();
        if (gone.signal.aborted) return;
        if (!next.done) {
          send(`data: ${encodeEvent(next.value)}\n\n`);
          return;
        }
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        send(`event: error\ndata: ${encodeFailure(error)}\n\n`);
      }
      clearInterval(ping);
      controller.close();
    },
    cancel() {
      clearInterval(ping);
      gone.abort();
    },
  });
  disconnected.addEventListener("abort", () => clearInterval(ping), { once: true });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Reverse proxies would collect the events otherwise.
      "x-accel-buffering": "no",
    },
  });
}
