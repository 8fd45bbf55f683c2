import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { PERMISSION_MODES } from "../../permissions/permission.ts";
import { SESSION_FORMAT } from "../../session/log/events.ts";
import { DEFINITIONS, EVENT_SCHEMAS } from "../../session/transfer/event-schemas.ts";
import { answer, component, COMPONENTS } from "./answer-schema.ts";
import { problemCodeSchema } from "./operations/problem-codes.ts";

/** Public names of definitions whose own are unclear outside of the log. */
const NAMES: Readonly<Record<string, string>> = {
  change: "FileChange",
  decision: "PermissionDecision",
  outcome: "ToolOutcome",
  part: "MessagePart",
  request: "PermissionRequest",
  usage: "TokenUsage",
};

const string: JsonObject = { type: "string" };
const number: JsonObject = { type: "number" };
const count: JsonObject = { type: "integer", minimum: 0 };
const dateTime: JsonObject = { type: "string", format: "date-time" };
const list = (items: JsonObject): JsonObject => ({ type: "array", items });
const permissionMode: JsonObject = { enum: [...PERMISSION_MODES] };
const state: JsonObject = {
  enum: ["idle", "open", "waiting"],
  description: "`waiting` for an answer to a request for permission, `open` while a turn runs.",
};

const version: JsonObject = {
  oneOf: [
    string,
    { type: "null" },
    answer({ size: count, reason: { enum: ["binary", "too-large"] } }),
  ],
  description: "Its text, or the size of another one; null where there was none.",
};

const answers: Readonly<Record<string, JsonObject>> = {
  Problem: answer(
    {
      type: string,
      title: string,
      status: { type: "integer" },
      code: problemCodeSchema(),
      detail: string,
      hint: string,
    },
    "RFC 9457. Branch on `code`; `detail` and `hint` are for people.",
  ),
  SessionSummary: answer({
    id: string,
    "name?": string,
    state,
    "createdAt?": dateTime,
    "updatedAt?": dateTime,
    "cwd?": string,
    "preview?": { ...string, description: "The beginning of the first prompt." },
    "messageCount?": count,
    "handedOverTo?": component("SessionPlace"),
    "provider?": string,
    "model?": string,
    "v?": count,
  }),
  Session: answer({
    id: string,
    "name?": string,
    state,
    permissionMode,
    "language?": { ...string, description: "Language of the answers, when one is set." },
    pendingPermissions: {
      ...list(component("PermissionRequest")),
      description: "Answer each by its `id` with POST permissions/{requestId}.",
    },
    pendingPrompt: {
      type: ["string", "null"],
      description: "Queued behind the running turn.",
    },
    context: component("ContextWindow"),
    model: answer({ provider: string, model: string }, "Of the next turn."),
    seq: { ...count, description: "The number of the last event." },
    "handedOverTo?": component("SessionPlace"),
  }),
  Queue: answer({
    prompts: list(
      answer({ id: string, text: string, "displayText?": string, "attachments?": list({}) }),
    ),
    paused: { type: "boolean", description: "True when none of them begins by itself." },
  }),
  SessionPlace: answer(
    { sessionId: string, "url?": { ...string, description: "Address of its server." } },
    "The place at which a session goes on that was handed over.",
  ),
  HandedOver: answer({
    to: component("SessionPlace"),
    seq: { ...count, description: "The number of its last event." },
  }),
  ContextWindow: answer({
    maxTokens: number,
    usedTokens: number,
    usedPercentage: { ...number, description: "0 to 100." },
    remainingPercentage: number,
  }),
  Message: {
    oneOf: ["UserMessage", "AssistantMessage", "ToolMessage"].map(component),
    discriminator: {
      propertyName: "role",
      mapping: {
        user: `${COMPONENTS}UserMessage`,
        system: `${COMPONENTS}UserMessage`,
        assistant: `${COMPONENTS}AssistantMessage`,
        tool: `${COMPONENTS}ToolMessage`,
      },
    },
  },
  ChatEntry: answer({
    id: string,
    seq: count,
    timestamp: dateTime,
    category: { const: "chat" },
    type: { ...string, description: "The role of the message." },
    data: component("Message"),
  }),
  EventEntry: answer({
    id: string,
    seq: count,
    timestamp: dateTime,
    category: { const: "event" },
    type: { ...string, description: "Such as `tool-end`, `permission-request` or `compaction`." },
    data: { description: "Data of that type." },
  }),
  HistoryEntry: {
    oneOf: ["ChatEntry", "EventEntry"].map(component),
    discriminator: {
      propertyName: "category",
      mapping: { chat: `${COMPONENTS}ChatEntry`, event: `${COMPONENTS}EventEntry` },
    },
  },
  Checkpoint: answer({
    id: string,
    kind: { enum: ["turn", "rewind"] },
    seq: count,
    time: { ...number, description: "Milliseconds since the epoch." },
    input: { ...string, description: "The turn's prompt; empty for a rewind." },
  }),
  ChangedFile: answer({
    path: string,
    kind: { enum: ["added", "modified", "deleted"] },
    now: {
      enum: ["changed", "undone", "changed-again"],
      description: "As the change left it, as it was before, or changed once more.",
    },
    stamp: { ...string, description: "For POST rewind: restores it in this state only." },
    "notCovered?": { ...string, description: "The reason for which it can't be restored." },
  }),
  ChangedContent: answer({ path: string, "before?": version, "after?": version }),
  Rewind: answer({
    what: { enum: ["files", "conversation", "both"] },
    undoId: { ...string, description: "The checkpoint that undoes it." },
    input: { ...string, description: "The prompt of the turn at the checkpoint." },
    files: answer({
      restored: list(string),
      removed: list(string),
      notRestored: list(answer({ path: string, reason: string })),
    }),
  }),
  Command: answer({
    name: string,
    description: string,
    source: { ...string, description: "Such as `builtin`, `skill` or `plugin`." },
    scope: {
      enum: ["read", "write", "privilege"],
      description: "The scope that it needs; a subcommand may need more.",
    },
    "argumentHint?": string,
    "aliases?": list(string),
    "subcommands?": list(answer({ name: string, description: string, "argumentHint?": string })),
  }),
  Completion: answer({
    value: string,
    description: string,
    start: { ...count, description: "The choice replaces the text from this character on," },
    end: { ...count, description: "up to this one." },
    "argumentHint?": string,
  }),
  CommandResult: answer({
    message: { ...string, description: "For a person." },
    success: { type: "boolean" },
    "data?": { type: "object", additionalProperties: true, description: "The same for programs." },
  }),
  StreamEnd: {
    type: "object",
    maxProperties: 0,
    description: "The data of `event: done`, behind which nothing comes.",
  },
};

/** Fields of every event, as clients get it. */
const header: Readonly<Record<string, JsonObject>> = {
  v: { const: SESSION_FORMAT },
  seq: { ...count, description: "The `id` of the server-sent event." },
  sessionId: string,
  time: { ...number, description: "Milliseconds since the epoch." },
  "turnId?": { ...string, description: "Absent outside of turns." },
  "parentId?": { ...string, description: "In a subagent's events: the call that started it." },
};
/** The log stores consecutive ones as one record. */
const delta = { messageId: string, delta: string };
const shown: Readonly<Record<string, JsonObject>> = {
  text_delta: answer(delta),
  thinking_delta: answer(delta),
};

/** The schemas of answers by name: those of events and their parts are derived from the log's. */
export function componentSchemas(): JsonObject {
  const events = Object.entries(EVENT_SCHEMAS).map(([type, schema]) => ({
    type,
    name: `${pascal(type)}Event`,
    schema: eventOf(type, shown[type] ?? schema),
  }));
  const mapping = events.map(({ type, name }) => [type, `${COMPONENTS}${name}`] as const);
  return {
    ...answers,
    SessionEvent: {
      description: "Everything that happens in a session, told apart by `type`.",
      oneOf: events.map(({ name }) => component(name)),
      discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
    },
    ...Object.fromEntries(events.map(({ name, schema }) => [name, schema])),
    ...Object.fromEntries(
      Object.entries(DEFINITIONS).map(([name, schema]) => [nameOf(name), inDocument(schema)]),
    ),
  };
}

/** Merged into one object with its header: generators turn that into a plain type. */
function eventOf(type: string, schema: JsonObject): JsonObject {
  const whole = answer({ ...header, type: { const: type } });
  const body = inDocument(schema);
  return {
    ...body,
    properties: { ...fieldsOf(whole), ...fieldsOf(body) },
    required: [...requiredOf(whole), ...requiredOf(body)],
  };
}

function fieldsOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): JsonValue[] {
  return Array.isArray(required) ? required : [];
}

/** Rewrites references to the document's components. */
function inDocument(schema: JsonValue): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "$ref" && typeof value === "string"
      ? COMPONENTS + nameOf(value.slice(value.lastIndexOf("/") + 1))
      : value,
  );
  const copy: unknown = JSON.parse(text);
  return isObject(copy) ? copy : {};
}

function nameOf(definition: string): string {
  return NAMES[definition] ?? pascal(definition);
}

function pascal(name: string): string {
  return name
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
