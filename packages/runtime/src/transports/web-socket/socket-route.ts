import type { Hono } from "hono";
import { operations } from "../http/operations.ts";
import { HttpProblem } from "../http/problem.ts";
import type { SessionEnvironment } from "../http/session-environment.ts";

/** Lets a host open a socket, after all checks that any request has to pass. */
export function addSocketRoute(app: Hono<SessionEnvironment>): void {
  app.get(operations.openSocket.path, (context) => {
    const { acceptSocket } = context.env ?? {};
    const isUpgrade = context.req.header("upgrade")?.toLowerCase() === "websocket";
    if (!acceptSocket || !isUpgrade) throw noSocket();
    const { session, principal } = context.var;
    const { owner, scopes } = principal;
    // A ticket was for the opening.
    acceptSocket({ sessionId: session.sessionId, principal: { owner, scopes } }, session);
    return context.body(null, 204);
  });
}

function noSocket(): HttpProblem {
  return new HttpProblem(426, "UPGRADE_REQUIRED", "This address opens WebSockets only.", {
    hint: "Open it with a WebSocket of the protocol robota.v1, or follow the session with GET events.",
    headers: { upgrade: "websocket" },
  });
}
