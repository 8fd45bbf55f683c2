import { answer, component } from "../answer-schema.ts";
import { array, body, ndjson, missing, refused, string, type Operation } from "./operation.ts";

export const recordOperations = {
  getMessages: {
    method: "GET",
    path: "/v1/sessions/:id/messages",
    scope: "read",
    summary: "The conversation as the model sees it",
    responses: {
      200: { description: "Messages.", schema: answer({ messages: array(component("Message")) }) },
      ...missing,
    },
  },
  getHistory: {
    method: "GET",
    path: "/v1/sessions/:id/history",
    scope: "read",
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
    scope: "read",
    summary: "How full the context window is",
    responses: {
      200: { description: "Tokens and percentages.", schema: component("ContextWindow") },
      ...missing,
    },
  },
  getCheckpoints: {
    method: "GET",
    path: "/v1/sessions/:id/checkpoints",
    scope: "read",
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
    scope: "prompt",
    summary:
      "Rewind the conversation, the files, both or single files to a checkpoint; can itself be undone",
    body: body("rewind"),
    responses: {
      200: {
        description: "The rewound parts, and the checkpoint that undoes it.",
        schema: component("Rewind"),
      },
      409: { description: "A turn is open, or a file is another one than its stamp says." },
      ...missing,
      ...refused,
    },
  },
  listChanges: {
    method: "GET",
    path: "/v1/sessions/:id/changes",
    scope: "read",
    summary: "The files that a turn changed, or that differ from the session's start",
    parameters: [
      {
        name: "turn",
        in: "query",
        description: "The turn's id; all changes since the session's start when omitted.",
        schema: string,
      },
    ],
    responses: {
      200: {
        description: "In the order of their paths.",
        schema: answer({ files: array(component("ChangedFile")) }),
      },
      ...missing,
    },
  },
  readChanges: {
    method: "POST",
    path: "/v1/sessions/:id/changes",
    scope: "read",
    summary: "Both versions of changed files; without `admin`, only of files that GET files gives",
    body: body("readChanges"),
    responses: {
      200: {
        description: "In the order of the paths; ask again for those behind the last one when cut.",
        schema: answer({
          files: array(component("ChangedContent")),
          isTruncated: { type: "boolean" },
        }),
      },
      ...missing,
      ...refused,
    },
  },
  exportLog: {
    method: "GET",
    path: "/v1/sessions/:id/log",
    scope: "read",
    summary: "The session as lines of JSON that every host can import, without secrets",
    parameters: [
      {
        name: "files",
        in: "query",
        description: "The files to include; by default those that the session has changed.",
        schema: { enum: ["changed", "workspace", "none"] },
      },
      {
        name: "grants",
        in: "query",
        description: "With `true`, includes approvals that outlast one call.",
        schema: { enum: ["true", "false"] },
      },
    ],
    responses: {
      200: { description: "Lines; the last one marks the end.", type: ndjson },
      400: { description: "`files` or `grants` has another value." },
      ...missing,
    },
  },
  handOver: {
    method: "POST",
    path: "/v1/sessions/:id/hand-over",
    scope: "admin",
    summary:
      "Stop the session for good, so that its export goes on elsewhere with its turn, its queue and its open requests",
    body: body("handOver"),
    responses: {
      200: {
        description: "It is sealed, now or since an earlier request.",
        schema: component("HandedOver"),
      },
      409: {
        description: "It was handed over to another session, or other work than a turn runs.",
      },
      ...missing,
      ...refused,
    },
  },
  importLog: {
    method: "PUT",
    path: "/v1/sessions/:id/log",
    scope: "prompt",
    summary: "Import an exported session into an unused session",
    bodyType: ndjson,
    parameters: [
      {
        name: "trusted",
        in: "query",
        description:
          "With `true`, which needs the scope `admin`, its approvals and its queue count, and a session that was handed over to this one goes on.",
        schema: { enum: ["true", "false"] },
      },
    ],
    responses: {
      204: {
        description: "It is imported completely. A turn that waits for an approval keeps waiting.",
      },
      400: { description: "`trusted` has another value." },
      409: { description: "This session was used already." },
      413: { description: "It is larger than this server accepts." },
      ...missing,
      ...refused,
    },
  },
} satisfies Record<string, Operation>;
