import type { MiddlewareHandler } from "hono";
import type { SessionEnvironment } from "../session-environment.ts";
import { watchStream } from "../watched-body.ts";
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
    const watched = watchStream(context.res, { onEnd: end });
    if (!watched) return end();
    context.res = watched;
    return undefined;
  };
}
