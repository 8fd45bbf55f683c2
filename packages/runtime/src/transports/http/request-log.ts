import type { MiddlewareHandler } from "hono";
import { defined } from "../../defined.ts";
import { digest } from "./digest.ts";
import { operationOf } from "./principal/operation-of.ts";
import type { SessionEnvironment } from "./session-environment.ts";

/** One request, as far as an operator may read it: no content, no token, and hashes in place of names. */
export interface RequestRecord {
  method: string;
  /** The pattern of its route, such as `/v1/sessions/:id/messages`; `unknown` for any other path. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
  /** Hash of the owner; absent for unknown callers. */
  principal?: string;
  /** Hash of the session's id, where the path has one. */
  session?: string;
}

/** Characters of a hash: enough to follow one caller through a log. */
const LENGTH = 16;

/**
 * Reports every request once it is answered. `salt` keeps names from being guessed by trying out their hashes.
 */
export function recordRequests(
  report: (record: RequestRecord) => void,
  salt: string,
): MiddlewareHandler<SessionEnvironment> {
  const hash = async (text: string): Promise<string> =>
    (await digest(`${salt}\n${text}`)).slice(0, LENGTH);
  return async (context, next) => {
    const start = performance.now();
    await next();
    const { method, path } = context.req;
    const route = operationOf(method, path)?.path;
    const owner = context.get("principal")?.owner;
    const session = route?.startsWith("/v1/sessions/:id") ? path.split("/")[3] : undefined;
    report({
      method,
      route: route ?? "unknown",
      status: context.res.status,
      ms: Math.round(performance.now() - start),
      ...defined({
        principal: owner === undefined ? undefined : await hash(owner),
        session: session === undefined ? undefined : await hash(session),
      }),
    });
  };
}
