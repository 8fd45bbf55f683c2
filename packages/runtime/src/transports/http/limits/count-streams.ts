import type { MiddlewareHandler } from "hono";
import type { SessionEnvironment } from "../session-environment.ts";
import type { StreamCounter } from "./usage-counter.ts";
import { limitProblem, STREAM_MS } from "./usage.ts";

/** Counts the event streams that a route answers with, from before they open until they end. */
export function countStreams(
  { open, renew, close }: StreamCounter,
  onError: (error: unknown) => void,
): MiddlewareHandler<SessionEnvironment> {
  return async (context, next) => {
    const { method } = context.req;
    const isStream =
      method === "GET" || context.req.header("accept")?.includes("text/event-stream");
    if (!isStream) return next();
    const { owner } = context.var.principal;
    const id = crypto.randomUUID();
    const refusal = await open(owner, id);
    if (refusal) throw limitProblem(refusal);
    const renewal = setInterval(() => void renew(owner, [id]).catch(onError), STREAM_MS / 2);
    let isOpen = true;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(renewal);
      close(owner, id).catch(onError);
    };
    try {
      await next();
    } catch (error) {
      end();
      throw error;
    }
    const { body, headers } = context.res;
    if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return end();
    context.res = new Response(watched(body, end), context.res);
    return undefined;
  };
}

/** The same bytes, none of them read ahead, and word of the end, whoever ends it. */
function watched(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          throw error;
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
