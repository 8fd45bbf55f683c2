import { defined } from "../../defined.ts";
import type { PromptSectionReport, SystemPromptReport } from "../../context/prompt-report.ts";
import type { ErrorFacts } from "../../errors.ts";
import type { HookRunOutcome } from "../../hooks/run-hooks.ts";
import type {
  AssistantMessage,
  JsonObject,
  Message,
  TokenUsage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "../../messages/message.ts";
import { PERMISSION_MODES } from "../../permissions/permission.ts";
import type { AnswerFormat } from "../../providers/provider.ts";
import type { FileChange, ModelAnswer } from "../../tools/tool.ts";
import type { FileBefore } from "../files/past-version.ts";
import {
  type AgentMessage,
  type EventHeader,
  type ModelUsage,
  type PermissionDecisionRecord,
  type PermissionRequest,
  SESSION_FORMAT,
  type SessionEventOf,
  type SessionEventType,
  type ToolOutcome,
  type TurnRequest,
} from "../log/events.ts";

const text: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer", minimum: 0 };
const number: JsonObject = { type: "number" };
const boolean: JsonObject = { type: "boolean" };
const texts: JsonObject = { type: "array", items: text };
const anything: JsonObject = {};
const args: JsonObject = { type: "object" };
const one = <Value extends string | null>(...values: Value[]): JsonObject => ({ enum: values });
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const list = (items: JsonObject): JsonObject => ({ type: "array", items });

/**
 * Builds an object schema. Unnamed fields are allowed everywhere: a later version may write more. A name that ends in
 * `?` is optional.
 */
function object(fields: Record<string, JsonObject>): JsonObject {
  const required = Object.keys(fields).filter((name) => !name.endsWith("?"));
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]),
  );
  return defined({
    type: "object",
    properties,
    required: required.length > 0 ? required : undefined,
  });
}

/** Names of a type's fields, with `?` after the optional ones. */
type FieldName<Type> = {
  [Key in keyof Type & string]-?: object extends Pick<Type, Key> ? `${Key}?` : Key;
}[keyof Type & string];

/**
 * `object` with exactly the fields of a type: the compiler rejects an outdated schema.
 *
 * Kept although zod/mini was 6 to 10 times as fast in a measurement (1.3 to 3.6 microseconds an event instead of 8 to 34):
 * two generated documents contain these JSON Schemas as they are, and the stored format is stable as long as they are.
 */
function objectOf<Type>(fields: Record<FieldName<Type>, JsonObject>): JsonObject {
  return object(fields);
}

/** `objectOf` an event, without its header. */
function event<Type extends SessionEventType>(
  fields: Record<FieldName<Omit<SessionEventOf<Type>, keyof EventHeader | "type">>, JsonObject>,
): JsonObject {
  return object(fields);
}

const content: JsonObject = { anyOf: [text, list(ref("part"))] };
const mode = one(...PERMISSION_MODES);
const message = <Type extends Message>(
  role: Type["role"],
  fields: Record<Exclude<FieldName<Type>, FieldName<UserMessage>>, JsonObject> &
    Record<string, JsonObject>,
): JsonObject =>
  object({
    role: { const: role },
    id: text,
    timestamp: { type: "string", format: "date-time" },
    content,
    "metadata?": { type: "object" },
    ...fields,
  });
const failure = objectOf<ErrorFacts>({
  code: text,
  message: text,
  "hint?": text,
  "category?": one("user", "provider", "system"),
  "recoverable?": boolean,
  "provider?": text,
  "status?": number,
  "retryAfterMs?": number,
});
const turnRequest = objectOf<TurnRequest>({ key: text, content: text });
const answerFormat = objectOf<AnswerFormat>({ name: text, schema: args });
const delta: JsonObject = {
  ...object({
    messageId: text,
    "delta?": text,
    "deltas?": { ...texts, minItems: 1 },
    "ago?": list(number),
  }),
  anyOf: [{ required: ["delta"] }, { required: ["deltas"] }],
};

/** Definitions that the schemas of events refer to. */
export const DEFINITIONS: JsonObject = {
  part: {
    ...object({ type: one("text", "image", "file", "thinking", "provider") }),
    anyOf: [
      object({ type: { const: "text" }, text, "citations?": list(args) }),
      object({
        type: { const: "image" },
        mediaType: text,
        "data?": text,
        "url?": text,
        "name?": text,
      }),
      object({ type: { const: "file" }, mediaType: text, data: text, "name?": text }),
      object({ type: { const: "thinking" }, text, "signature?": text, "redacted?": text }),
      object({ type: { const: "provider" }, provider: text, data: anything }),
    ],
  },
  toolCall: objectOf<ToolCall>({ id: text, name: text, args, "rawArgs?": text }),
  usage: objectOf<TokenUsage>({
    inputTokens: number,
    outputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    "reasoningTokens?": number,
  }),
  userMessage: message<UserMessage>("user", { role: one("user", "system") }),
  assistantMessage: message<AssistantMessage>("assistant", {
    "toolCalls?": list(ref("toolCall")),
    state: one("complete", "interrupted"),
    "usage?": ref("usage"),
    "stopReason?": text,
    "provider?": text,
    "model?": text,
    "error?": failure,
  }),
  toolMessage: message<ToolMessage>("tool", {
    toolCallId: text,
    name: text,
    "isError?": boolean,
    "errorCode?": text,
  }),
  change: objectOf<FileChange>({
    path: text,
    before: { type: ["string", "null"] },
    after: { type: ["string", "null"] },
  }),
  outcome: objectOf<ToolOutcome>({
    success: boolean,
    "denied?": boolean,
    "errorCode?": text,
    "exitCode?": number,
    "usedNetwork?": boolean,
    "changes?": list(ref("change")),
    "data?": anything,
    "memory?": { type: "object", additionalProperties: text },
    "answers?": list(
      objectOf<ModelAnswer>({ text, isWhole: boolean, "usage?": ref("usage"), "model?": text }),
    ),
    durationMs: number,
  }),
  request: objectOf<PermissionRequest>({
    id: text,
    toolCallId: text,
    tool: text,
    args,
    reason: text,
    "rule?": text,
    "layer?": text,
    "command?": text,
    "paths?": texts,
    "suggestedPattern?": text,
    "preview?": object({
      "changes?": list(ref("change")),
      "note?": text,
      "protectedFiles?": texts,
    }),
    "agent?": object({ id: text, type: text, toolCallId: text }),
  }),
  decision: objectOf<PermissionDecisionRecord>({
    allow: boolean,
    "scope?": one("once", "turn", "session", "workspace"),
    "pattern?": text,
    "reason?": text,
    "interrupt?": boolean,
    "updatedArgs?": args,
    by: one("person", "handler", "rule", "mode", "grant", "hook", "abort", "default"),
  }),
  promptReport: objectOf<SystemPromptReport>({
    budget: number,
    tokens: number,
    sections: list(
      objectOf<PromptSectionReport>({
        section: text,
        "source?": text,
        tokens: number,
        "wholeTokens?": number,
        state: one("included", "cut", "omitted"),
        "reason?": text,
      }),
    ),
  }),
  agentMessage: objectOf<AgentMessage>({
    role: one("user", "assistant", "tool"),
    text,
    "toolCalls?": list(object({ id: text, name: text, args })),
    "toolCallId?": text,
    "tool?": text,
    "isError?": boolean,
  }),
  modelUsage: objectOf<ModelUsage>({ model: text, usage: ref("usage") }),
  fileBefore: objectOf<FileBefore>({
    path: text,
    before: {
      anyOf: [
        { type: "null" },
        object({
          type: { const: "file" },
          size: count,
          mode: count,
          mtimeMs: number,
          sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
        }),
        object({
          type: one("file", "directory"),
          notCovered: one("too-large", "too-many", "unreadable"),
        }),
        object({ type: { const: "directory" }, mode: count }),
        object({ type: { const: "symlink" }, target: text }),
      ],
    },
  }),
};

/** Fields common to all events. */
export const HEADER_SCHEMA: JsonObject = object({
  v: { type: "integer", minimum: 1, maximum: SESSION_FORMAT },
  seq: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  type: { type: "string", minLength: 1 },
  "sessionId?": text,
  time: number,
  "turnId?": text,
  "parentId?": text,
  "prev?": count,
});

/** The fields of each event type besides the header. */
export const EVENT_SCHEMAS: Readonly<Record<SessionEventType, JsonObject>> = {
  session_init: event<"session_init">({
    cwd: text,
    systemMessage: text,
    "projectInstructions?": text,
    "promptReport?": ref("promptReport"),
    "language?": text,
    provider: text,
    model: text,
    permissionMode: mode,
    tools: texts,
    "origin?": object({ sessionId: text, seq: count, "mark?": text }),
    "files?": { const: "overlay" },
  }),
  session_resume: event<"session_resume">({ cut: boolean }),
  turn_start: event<"turn_start">({
    input: text,
    "displayInput?": text,
    "request?": turnRequest,
    "responseFormat?": answerFormat,
  }),
  turn_resume: event<"turn_resume">({ attempt: count, again: texts, unknown: texts }),
  user_message: event<"user_message">({ message: ref("userMessage") }),
  text_delta: delta,
  thinking_delta: delta,
  assistant_message: event<"assistant_message">({ message: ref("assistantMessage") }),
  permission_request: event<"permission_request">({ request: ref("request") }),
  permission_decision: event<"permission_decision">({
    requestId: text,
    toolCallId: text,
    decision: ref("decision"),
  }),
  permission_auto: event<"permission_auto">({
    toolCallId: text,
    tool: text,
    decision: one("auto", "deny"),
    step: one("deny", "protected", "ask", "allow", "mode", "hook"),
    by: one("rule", "mode", "hook"),
    "rule?": text,
    "layer?": text,
    "command?": text,
    "hook?": text,
    reason: text,
  }),
  permission_revoked: event<"permission_revoked">({ pattern: text }),
  tool_start: event<"tool_start">({ toolCallId: text, tool: text, args, firstArg: text }),
  tool_output: event<"tool_output">({ toolCallId: text, text, "stream?": one("stdout", "stderr") }),
  tool_end: event<"tool_end">({
    toolCallId: text,
    tool: text,
    message: ref("toolMessage"),
    outcome: ref("outcome"),
  }),
  context_update: event<"context_update">({
    usedTokens: number,
    maxTokens: number,
    usedPercentage: number,
    exact: boolean,
  }),
  queue_update: event<"queue_update">({
    queue: texts,
    "requests?": list({ anyOf: [{ type: "null" }, turnRequest] }),
    "displayInputs?": list({ anyOf: [{ type: "null" }, text] }),
    "skills?": list({ anyOf: [{ type: "null" }, text] }),
    "ids?": list({ anyOf: [{ type: "null" }, text] }),
    "attachments?": list({ anyOf: [{ type: "null" }, list(ref("part"))] }),
    "responseFormats?": list({ anyOf: [{ type: "null" }, answerFormat] }),
    "paused?": { const: true },
  }),
  mode_change: event<"mode_change">({ mode }),
  name_change: event<"name_change">({ name: text }),
  model_change: event<"model_change">({
    provider: text,
    model: text,
    "systemMessage?": text,
    "promptReport?": ref("promptReport"),
  }),
  language_change: event<"language_change">({ "language?": text }),
  history_cleared: event<"history_cleared">({}),
  compaction: event<"compaction">({
    trigger: one("auto", "manual"),
    summary: text,
    before: number,
    after: number,
    "kept?": texts,
    "used?": ref("modelUsage"),
  }),
  tool_results_cleared: event<"tool_results_cleared">({
    keep: count,
    before: number,
    after: number,
  }),
  files_before: event<"files_before">({ files: list(ref("fileBefore")) }),
  rewind: event<"rewind">({
    checkpointId: text,
    what: one("files", "conversation", "both"),
    "paths?": texts,
  }),
  agent_start: event<"agent_start">({
    agentId: text,
    agent: text,
    prompt: text,
    model: text,
    "effort?": one("low", "medium", "high", "xhigh", "max"),
    "description?": text,
    "background?": boolean,
    "isolation?": { const: "overlay" },
    "startedBy?": text,
  }),
  agent_message: event<"agent_message">({
    agentId: text,
    entry: ref("agentMessage"),
    "used?": ref("modelUsage"),
  }),
  agent_end: event<"agent_end">({
    agentId: text,
    state: one("complete", "interrupted", "failed"),
    response: text,
    "used?": list(ref("modelUsage")),
    "error?": failure,
  }),
  agent_collected: event<"agent_collected">({ agentId: text }),
  hook_run: event<"hook_run">({
    event: text,
    matcher: text,
    hook: text,
    "layer?": text,
    exitCode: number,
    durationMs: number,
    outcome: one<HookRunOutcome>("allowed", "blocked", "stopped", "failed", "timed_out", "aborted"),
    "reason?": text,
    "input?": text,
    "output?": text,
    "usage?": ref("usage"),
    "model?": text,
    "cost?": number,
  }),
  note: event<"note">({ kind: text, data: anything }),
  turn_end: event<"turn_end">({
    state: one("complete", "interrupted", "failed"),
    response: text,
    "usage?": ref("usage"),
    "cost?": number,
    "error?": failure,
  }),
  session_shutdown: event<"session_shutdown">({ reason: text }),
};
