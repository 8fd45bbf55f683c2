import { answer, component } from "../answer-schema.ts";
import { SCOPES } from "../principal/scopes.ts";
import { array, body, string, missing, refused, type Operation } from "./operation.ts";

export const sessionOperations = {
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    scope: "prompt",
    fieldScopes: { permissionMode: "admin", id: "admin" },
    summary: "Make a session",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description: "Repeating a key returns the same session.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
    ],
    body: body("createSession", { optional: true }),
    responses: {
      201: {
        description: "Made, or made before with this key.",
        schema: answer({
          id: string,
          url: string,
          "token?": {
            ...string,
            description: "For anonymous callers, where admitted: the token for this session.",
          },
        }),
      },
      ...refused,
      429: { description: "You have the maximum number of sessions." },
    },
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
    scope: "read",
    summary: "List your sessions, newest first",
    responses: {
      200: {
        description: "Sessions.",
        schema: answer({ sessions: array(component("SessionSummary")) }),
      },
    },
  },
  getSession: {
    method: "GET",
    path: "/v1/sessions/:id",
    scope: "read",
    summary: "The state of a session, and its pending approvals",
    responses: { 200: { description: "The session.", schema: component("Session") }, ...missing },
  },
  updateSession: {
    method: "PATCH",
    path: "/v1/sessions/:id",
    scope: "prompt",
    fieldScopes: { permissionMode: "admin", model: "admin" },
    summary: "Rename a session, or change its permission mode, its model or its language",
    body: body("updateSession"),
    responses: {
      200: { description: "The present state.", schema: component("Session") },
      403: { description: "This server does not let that mode be set over the network." },
      ...missing,
      ...refused,
    },
  },
  deleteSession: {
    method: "DELETE",
    path: "/v1/sessions/:id",
    scope: "admin",
    summary: "Stop a session and delete it with all its data",
    responses: { 204: { description: "Gone." }, ...missing },
  },
  forkSession: {
    method: "POST",
    path: "/v1/sessions/:id/fork",
    scope: "prompt",
    summary:
      "Fork a new session from a checkpoint or the present state, without the grants of this one",
    body: body("forkSession", { optional: true }),
    responses: {
      201: { description: "Made.", schema: answer({ id: string, url: string }) },
      429: { description: "You have the maximum number of sessions." },
      ...missing,
      ...refused,
    },
  },
  createTicket: {
    method: "POST",
    path: "/v1/sessions/:id/tickets",
    scope: "read",
    summary: "Get a ticket for one event stream or WebSocket, for clients that can send no header",
    body: body("createTicket", { optional: true }),
    responses: {
      201: {
        description:
          "Send it as `?ticket=` within a minute. It is good once, for this session only.",
        schema: answer({
          ticket: string,
          expiresAt: { ...string, format: "date-time" },
          scopes: array({ enum: [...SCOPES] }),
        }),
      },
      503: { description: "This server makes no tickets." },
      ...missing,
      ...refused,
    },
  },
} satisfies Record<string, Operation>;
