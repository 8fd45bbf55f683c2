import type { JsonObject } from "../../messages/message.ts";
import { answer, component } from "./answer-schema.ts";
import type { Bodies } from "./body/schemas.ts";
import type { BodyDefinition } from "./body/read-body.ts";

/**
 * The single definition of a route: the app serves it, validates bodies by it, and the OpenAPI document describes it.
 *
 * Measured against `@hono/zod-openapi` 1.6.3 and `hono-openapi` 1.3.3, in Node, workerd and Chromium: both read a body without
 * a limit of bytes, depth or silence, and take bytes that aren't UTF-8; on arrays 5,000 levels deep the latter answers 500.
 * `readBody` would stay in front of either, which leaves them to make the document: for 110 kB and 94 kB gzipped with one
 * route, of which Hono is 8, while this, zod/mini and its JSON Schemas are 19 kB beside a first load of 27.
 */
export interface Operation<Body = unknown> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path in Hono's notation. */
  path: string;
  summary: string;
  body?: BodyDefinition<Body>;
  parameters?: Parameter[];
  /** Media type of a body that is not JSON; it is read as a stream. */
  bodyType?: string;
  /** Responses by status. Those of every operation (401, 500) are added to all of them. */
  responses: Record<number, { description: string; type?: string; schema?: JsonObject }>;
  /** True when no token is needed. */
  isPublic?: boolean;
}

export interface Parameter {
  name: string;
  in: "query" | "header";
  description: string;
  schema: JsonObject;
}

const array = (items: JsonObject): JsonObject => ({ type: "array", items });
/** A body by the name of its operation, loaded with the first one. */
const body = <Name extends keyof Bodies>(
  name: Name,
  options?: { optional: boolean },
): BodyDefinition<Bodies[Name]> => ({
  load: async () => (await import("./body/schemas.ts")).BODIES[name],
  ...options,
});
const string: JsonObject = { type: "string" };

const eventStream = "text/event-stream";
const profile: Parameter = {
  name: "profile",
  in: "query",
  description:
    "The protocol of an existing client, for body and events: `ai-sdk-ui` for `useChat`, `ag-ui` for AG-UI. Or as a parameter of the media type in `Accept`.",
  schema: { enum: ["ai-sdk-ui", "ag-ui"] },
};
const ndjson = "application/x-ndjson";
const missing = {
  404: { description: "There is no such session, or it belongs to another owner." },
};
const refused = { 422: { description: "The body is invalid." } };

export const operations = {
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    summary: "Make a session",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description: "The same key gives the same session, however often it is sent.",
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
            description: "For callers without one, where such are let in: leads to this session.",
          },
        }),
      },
      ...refused,
      429: { description: "You have as many sessions as you may." },
    },
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
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
    summary: "The state of a session, and its pending approvals",
    responses: { 200: { description: "The session.", schema: component("Session") }, ...missing },
  },
  updateSession: {
    method: "PATCH",
    path: "/v1/sessions/:id",
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
    summary: "Stop a session and remove everything it has",
    responses: { 204: { description: "Gone." }, ...missing },
  },
  sendMessage: {
    method: "POST",
    path: "/v1/sessions/:id/messages",
    summary: "Give the session something to do; with Accept: text/event-stream, watch the turn",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description:
          "A message that is sent again with its key is not done again, and gets the answer of the first, for 24 hours.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
      profile,
    ],
    body: body("sendMessage"),
    responses: {
      200: {
        description:
          "The events of the turn, then `event: done`. The schema is that of each `data`; with `profile`, the protocol's own holds.",
        type: eventStream,
        schema: { anyOf: [component("SessionEvent"), component("StreamEnd")] },
      },
      202: {
        description:
          "Accepted. `turnId` is null when it is queued behind a running turn; its `turn_start` names it.",
        schema: answer({ turnId: { type: ["string", "null"] }, queued: { type: "boolean" } }),
      },
      409: { description: "The queue is full; the message was not accepted." },
      ...missing,
      ...refused,
    },
  },
  streamEvents: {
    method: "GET",
    path: "/v1/sessions/:id/events",
    summary:
      "Everything that happened and happens, as server-sent events; leaving does not stop a turn",
    parameters: [
      {
        name: "after",
        in: "query",
        description: "Events behind this `seq` only.",
        schema: { type: "integer", minimum: 0, default: 0 },
      },
      {
        name: "Last-Event-ID",
        in: "header",
        description: "As `after`, sent by clients that connect again; it wins.",
        schema: string,
      },
      profile,
    ],
    responses: {
      200: {
        description:
          "Events; `id` is the `seq`, `event` the type. The schema is that of each `data`; with `profile`, the protocol's own holds.",
        type: eventStream,
        schema: component("SessionEvent"),
      },
      400: { description: "`after` is not a number." },
      ...missing,
    },
  },
  resumeChat: {
    method: "GET",
    path: "/v1/sessions/:id/messages/:chatId/stream",
    summary: "The open turn from its start, for `useChat` with `resume`",
    responses: {
      200: {
        description: "The UI message stream of the AI SDK.",
        type: eventStream,
        schema: { type: "object" },
      },
      204: { description: "No turn is open." },
      ...missing,
    },
  },
  answerPermission: {
    method: "POST",
    path: "/v1/sessions/:id/permissions/:requestId",
    summary: "Answer a request for permission",
    body: body("answerPermission"),
    responses: {
      204: { description: "Recorded; the turn continues." },
      409: { description: "It was answered before." },
      ...missing,
      ...refused,
    },
  },
  abort: {
    method: "POST",
    path: "/v1/sessions/:id/abort",
    summary: "Stop the running turn",
    responses: { 204: { description: "The turn is being stopped." }, ...missing },
  },
  cancelQueue: {
    method: "POST",
    path: "/v1/sessions/:id/cancel-queue",
    summary: "Clear the queue behind the running turn, or take one message out of it",
    body: body("cancelQueue", { optional: true }),
    responses: { 204: { description: "It waits no more." }, ...missing, ...refused },
  },
  steer: {
    method: "POST",
    path: "/v1/sessions/:id/steer",
    summary: "Give the running turn a message for its next step",
    body: body("steer"),
    responses: { 204: { description: "Accepted." }, ...missing, ...refused },
  },
  listCommands: {
    method: "GET",
    path: "/v1/sessions/:id/commands",
    summary: "The slash commands that you may run",
    responses: {
      200: { description: "Commands.", schema: answer({ commands: array(component("Command")) }) },
      ...missing,
    },
  },
  completeCommand: {
    method: "POST",
    path: "/v1/sessions/:id/complete",
    summary: "What the word at the cursor of a typed command may become",
    body: body("completeCommand"),
    responses: {
      200: {
        description: "Choices; none for a text that is no command.",
        schema: answer({ completions: array(component("Completion")) }),
      },
      ...missing,
      ...refused,
    },
  },
  runCommand: {
    method: "POST",
    path: "/v1/sessions/:id/commands/:name",
    summary: "Run a slash command",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description: "The same key begins one turn, however often it is sent, for 24 hours.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
    ],
    body: body("runCommand", { optional: true }),
    responses: {
      200: {
        description: "It has run, or `success` is false and `message` says why not.",
        schema: component("CommandResult"),
      },
      202: {
        description: "Its prompt is accepted, as by POST messages.",
        schema: answer({ turnId: { type: ["string", "null"] }, queued: { type: "boolean" } }),
      },
      403: { description: "It needs a scope that this server does not give." },
      404: { description: "There is no such command, or no such session of yours." },
      409: { description: "The queue is full; the prompt was not accepted." },
      ...refused,
    },
  },
  getMessages: {
    method: "GET",
    path: "/v1/sessions/:id/messages",
    summary: "The conversation as the model sees it",
    responses: {
      200: { description: "Messages.", schema: answer({ messages: array(component("Message")) }) },
      ...missing,
    },
  },
  getHistory: {
    method: "GET",
    path: "/v1/sessions/:id/history",
    summary: "The timeline as a person sees it",
    responses: {
      200: {
        description: "Entries.",
        schema: answer({ history: array(component("HistoryEntry")) }),
      },
      ...missing,
    },
  },
  getContext: {
    method: "GET",
    path: "/v1/sessions/:id/context",
    summary: "How full the context window is",
    responses: {
      200: { description: "Tokens and percentages.", schema: component("ContextWindow") },
      ...missing,
    },
  },
  getCheckpoints: {
    method: "GET",
    path: "/v1/sessions/:id/checkpoints",
    summary: "The points that the session can be rewound to and forked at, oldest first",
    responses: {
      200: {
        description: "Checkpoints.",
        schema: answer({ checkpoints: array(component("Checkpoint")) }),
      },
      ...missing,
    },
  },
  rewind: {
    method: "POST",
    path: "/v1/sessions/:id/rewind",
    summary: "Rewind the conversation, the files or both to a checkpoint; can itself be undone",
    body: body("rewind"),
    responses: {
      200: {
        description: "The rewound parts, and the checkpoint that undoes it.",
        schema: component("Rewind"),
      },
      409: { description: "A turn is open." },
      ...missing,
      ...refused,
    },
  },
  forkSession: {
    method: "POST",
    path: "/v1/sessions/:id/fork",
    summary:
      "Fork a new session from a checkpoint or the present state, without the grants of this one",
    body: body("forkSession", { optional: true }),
    responses: {
      201: { description: "Made.", schema: answer({ id: string, url: string }) },
      429: { description: "You have as many sessions as you may." },
      ...missing,
      ...refused,
    },
  },
  exportLog: {
    method: "GET",
    path: "/v1/sessions/:id/log",
    summary: "The session as lines of JSON that every host can import, without secrets",
    parameters: [
      {
        name: "files",
        in: "query",
        description: "The files to include; by default those that the session has changed.",
        schema: { enum: ["changed", "workspace", "none"] },
      },
    ],
    responses: {
      200: { description: "Lines; the last one marks the end.", type: ndjson },
      400: { description: "`files` has another value." },
      ...missing,
    },
  },
  importLog: {
    method: "PUT",
    path: "/v1/sessions/:id/log",
    summary: "Go on from an exported session, in a session in which nothing has happened",
    bodyType: ndjson,
    responses: {
      204: { description: "It is there as a whole. A turn that waited for an approval waits on." },
      409: { description: "Something has happened in this session already." },
      413: { description: "It is larger than this server takes." },
      ...missing,
      ...refused,
    },
  },
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Whether the server answers",
    isPublic: true,
    responses: { 200: { description: "It does.", schema: answer({ status: { const: "ok" } }) } },
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    summary: "This description",
    isPublic: true,
    responses: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
  },
  llms: {
    method: "GET",
    path: "/llms.txt",
    summary: "This description for language models",
    isPublic: true,
    responses: { 200: { description: "Markdown.", type: "text/plain" } },
  },
} satisfies Record<string, Operation>;

export const operationList: readonly Operation[] = Object.values(operations);
