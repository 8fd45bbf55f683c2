import { answer, component } from "../answer-schema.ts";
import {
  profile,
  array,
  body,
  string,
  eventStream,
  missing,
  refused,
  type Operation,
} from "./operation.ts";

export const turnOperations = {
  sendMessage: {
    method: "POST",
    path: "/v1/sessions/:id/messages",
    scope: "prompt",
    spends: true,
    summary: "Send a message to the session; with Accept: text/event-stream, stream the turn",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description:
          "A message repeated with its key is not run again, and gets the first one's answer, for 24 hours.",
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
    scope: "read",
    takesTicket: true,
    summary: "All past and new events, as server-sent events; disconnecting does not stop a turn",
    parameters: [
      {
        name: "after",
        in: "query",
        description: "Only events after this `seq`.",
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
    scope: "read",
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
  openSocket: {
    method: "GET",
    path: "/v1/sessions/:id/socket",
    scope: "read",
    takesTicket: true,
    summary: "A WebSocket for events and requests: JSON frames of the subprotocol `robota.v1`",
    parameters: [
      {
        name: "Sec-WebSocket-Protocol",
        in: "header",
        description:
          "`robota.v1`, and where no other header can be sent `robota.bearer.` with the token in base64url.",
        schema: string,
      },
    ],
    responses: {
      101: { description: "The socket is open; its first frame is the session's state." },
      426: { description: "The request is not a WebSocket upgrade, or this server serves none." },
      ...missing,
    },
  },
  answerPermission: {
    method: "POST",
    path: "/v1/sessions/:id/permissions/:requestId",
    scope: "approve",
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
    scope: "prompt",
    summary: "Stop the running turn",
    body: body("abort", { optional: true }),
    responses: { 204: { description: "The turn is being stopped." }, ...missing, ...refused },
  },
  cancelQueue: {
    method: "POST",
    path: "/v1/sessions/:id/cancel-queue",
    scope: "prompt",
    summary: "Clear the queue behind the running turn, or take one message out of it",
    body: body("cancelQueue", { optional: true }),
    responses: { 204: { description: "It is removed from the queue." }, ...missing, ...refused },
  },
  getQueue: {
    method: "GET",
    path: "/v1/sessions/:id/queue",
    scope: "read",
    summary: "The messages behind the running turn",
    responses: { 200: { description: "In order.", schema: component("Queue") }, ...missing },
  },
  pauseQueue: {
    method: "PATCH",
    path: "/v1/sessions/:id/queue",
    scope: "prompt",
    summary: "Pause the queue, or let it go on",
    body: body("pauseQueue"),
    responses: {
      200: { description: "The queue.", schema: component("Queue") },
      ...missing,
      ...refused,
    },
  },
  changeQueued: {
    method: "PATCH",
    path: "/v1/sessions/:id/queue/:promptId",
    scope: "prompt",
    summary: "Change the text of a queued message, or its place",
    body: body("changeQueued"),
    responses: {
      200: { description: "The queue.", schema: component("Queue") },
      ...missing,
      ...refused,
    },
  },
  removeQueued: {
    method: "DELETE",
    path: "/v1/sessions/:id/queue/:promptId",
    scope: "prompt",
    summary: "Take a message out of the queue",
    responses: { 204: { description: "It is removed." }, ...missing },
  },
  steer: {
    method: "POST",
    path: "/v1/sessions/:id/steer",
    scope: "prompt",
    spends: true,
    summary: "Give the running turn a message for its next step",
    body: body("steer"),
    responses: { 204: { description: "Accepted." }, ...missing, ...refused },
  },
  listCommands: {
    method: "GET",
    path: "/v1/sessions/:id/commands",
    scope: "read",
    summary: "The slash commands that you may run",
    responses: {
      200: { description: "Commands.", schema: answer({ commands: array(component("Command")) }) },
      ...missing,
    },
  },
  completeCommand: {
    method: "POST",
    path: "/v1/sessions/:id/complete",
    scope: "read",
    summary: "Completions of the word at the cursor: of a command, or of a mention such as `@src/`",
    body: body("completeCommand"),
    responses: {
      200: {
        description: "Choices; none for a word that is neither.",
        schema: answer({ completions: array(component("Completion")) }),
      },
      ...missing,
      ...refused,
    },
  },
  runCommand: {
    method: "POST",
    path: "/v1/sessions/:id/commands/:name",
    scope: "read",
    summary: "Run a slash command",
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description:
          "Repeating a key within 24 hours begins no other turn, and runs no command again whose result is kept.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
    ],
    body: body("runCommand", { optional: true }),
    responses: {
      200: {
        description: "Its result; when `success` is false, `message` has the reason.",
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
} satisfies Record<string, Operation>;
