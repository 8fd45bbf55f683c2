import type { MiddlewareHandler } from "hono";
import type { SessionEnvironment } from "../session-environment.ts";
import { watchStream } from "../watched-body.ts";
import type { Principal } from "./principal.ts";

/** Reports whether a principal may still read the session that it was let in to. */
export type IsAllowed = (facts: {
  sessionId: string;
  principal: Principal;
}) => boolean | Promise<boolean>;

/** Ends the event stream of a route before the first piece that its reader may not have any more. */
export function guardStreams(
  isAllowed: IsAllowed,
  onError: (error: unknown) => void,
): MiddlewareHandler<SessionEnvironment> {
  return async (context, next) => {
    const { principal } = context.var;
    const sessionId = context.req.param("id") ?? "";
    await next();
    const mayContinue = async (): Promise<boolean> => {
      try {
        return await isAllowed({ sessionId, principal });
      } catch (error) {
        onError(error);
        return false;
      }
    };
    const guarded = watchStream(context.res, { mayContinue });
    if (guarded) context.res = guarded;
  };
}
