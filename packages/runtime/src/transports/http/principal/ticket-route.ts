import type { Hono } from "hono";
import type { BodyLimits } from "../body/body-limits.ts";
import { readBody } from "../body/read-body.ts";
import { operations } from "../operations.ts";
import { HttpProblem, notFound } from "../problem.ts";
import type { OpenSession } from "../session-host.ts";
import type { SessionEnvironment } from "../session-environment.ts";
import { withPrincipal } from "./principal.ts";
import type { Tickets } from "./tickets.ts";

/** Adds the route that makes tickets, where tokens are known: in the front. */
export function addTicketRoute(
  app: Hono<SessionEnvironment>,
  {
    tickets,
    open,
    limits,
  }: { tickets: Tickets | undefined; open: OpenSession; limits: BodyLimits },
): void {
  const { createTicket, getSession } = operations;
  app.post(createTicket.path, async (context) => {
    const { principal } = context.var;
    const { scopes } = await readBody(context.req.raw, createTicket.body, limits);
    const session = context.req.param("id") ?? "";
    const reached = await open(principal.owner, session);
    if (!reached) throw notFound();
    if ("fetch" in reached) {
      // The front can't tell by itself whether a session that runs elsewhere exists.
      const url = new URL(getSession.path.replace(":id", session), context.req.url);
      const found = await reached.fetch(withPrincipal(new Request(url), principal));
      await found.body?.cancel();
      if (!found.ok) throw notFound();
    }
    if (!tickets) throw noTickets();
    return context.json(await tickets.issue(principal, { session, scopes }), 201);
  });
}

function noTickets(): HttpProblem {
  return new HttpProblem(503, "NOT_CONFIGURED", "This server makes no tickets.", {
    hint: "Send the header Authorization, or ask the operator to set a secret for tickets.",
  });
}
