import { defined } from "../../defined.ts";
import { type Content, contentText, type ToolArgs, type ToolCall } from "../../messages/message.ts";
import type { PermissionRequest, SessionEventOf, ToolOutcome } from "../../session/log/events.ts";
import { attachmentsIn } from "../../session/queue.ts";
import { attachmentBlock } from "./content-blocks.ts";
import type { AcpToolContent, AcpToolKind, AcpUpdate } from "./updates.ts";

type FileChange = NonNullable<ToolOutcome["changes"]>[number];

/** Characters of a running call's output that are shown, from its end. */
const MAX_LIVE_OUTPUT = 10_000;
const MAX_TITLE = 120;

/** Kinds by an argument that only such tools have, the most telling first: the client chooses an icon by them. */
const KINDS: readonly (readonly [argument: string, kind: AcpToolKind])[] = [
  ["command", "execute"],
  ["oldString", "edit"],
  ["content", "edit"],
  ["url", "fetch"],
  ["query", "search"],
  ["pattern", "search"],
  ["filePath", "read"],
];
/** Arguments that say what a call is about, the best first. */
const SUBJECTS = [
  "command",
  "filePath",
  "pattern",
  "url",
  "query",
  "description",
  "prompt",
  "skill",
];

/** The calls so far. */
export interface CallContext {
  cwd: string;
  /** The last output of each running call; every announced call is in it. */
  outputs: Map<string, string>;
}

export function newCallContext(): CallContext {
  return { cwd: "/", outputs: new Map() };
}

/** Announces calls that the client does not know yet. */
export function announced(
  context: CallContext,
  calls: readonly Pick<ToolCall, "id" | "name" | "args">[],
): AcpUpdate[] {
  const updates: AcpUpdate[] = [];
  for (const { id: toolCallId, name, args } of calls) {
    if (context.outputs.has(toolCallId)) continue;
    context.outputs.set(toolCallId, "");
    updates.push({
      sessionUpdate: "tool_call",
      toolCallId,
      title: titleOf(name, args),
      kind: kindOf(args),
      status: "pending",
      locations: locationsOf(context.cwd, args),
      rawInput: args,
    });
  }
  return updates;
}

export function started(
  context: CallContext,
  { toolCallId, tool: name, args }: SessionEventOf<"tool_start">,
): AcpUpdate[] {
  const updates = announced(context, [{ id: toolCallId, name, args }]);
  // A person may have changed the arguments.
  const facts = { title: titleOf(name, args), rawInput: args };
  return [
    ...updates,
    { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress", ...facts },
  ];
}

export function output(
  { outputs }: CallContext,
  { toolCallId, text }: SessionEventOf<"tool_output">,
): AcpUpdate[] {
  const shown = `${outputs.get(toolCallId) ?? ""}${text}`.slice(-MAX_LIVE_OUTPUT);
  outputs.set(toolCallId, shown);
  return [{ sessionUpdate: "tool_call_update", toolCallId, content: [textContent(shown)] }];
}

export function ended(
  context: CallContext,
  { toolCallId, tool: name, message, outcome }: SessionEventOf<"tool_end">,
): AcpUpdate[] {
  const updates = announced(context, [{ id: toolCallId, name, args: {} }]);
  context.outputs.set(toolCallId, "");
  const { success, exitCode, errorCode, changes = [], data } = outcome;
  const text = contentText(message.content);
  const content = success && changes.length > 0 ? changes.map(diffOf) : shown(message.content);
  return [
    ...updates,
    {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: success ? "completed" : "failed",
      content,
      ...defined({
        locations: changes.length > 0 ? changes.map(({ path }) => ({ path })) : undefined,
      }),
      rawOutput: defined({ text, exitCode, errorCode, data }),
    },
  ];
}

/** The result of a subagent's call that a person was asked about. */
export function agentResult(
  { outputs }: CallContext,
  { parentId, entry }: SessionEventOf<"agent_message">,
): AcpUpdate[] {
  const toolCallId = `${parentId}/${entry.toolCallId}`;
  if (entry.role !== "tool" || !outputs.has(toolCallId)) return [];
  return [
    {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: entry.isError ? "failed" : "completed",
      content: [textContent(entry.text)],
    },
  ];
}

/** A call that waits for approval, with a preview of its changes. */
export function askedCall({
  toolCallId,
  tool,
  args,
  paths = [],
  preview,
  reason,
}: PermissionRequest) {
  const changes = (preview?.changes ?? []).map(diffOf);
  const notes = [reason, preview?.note].filter((note) => note !== undefined);
  return {
    toolCallId,
    title: titleOf(tool, args),
    kind: kindOf(args),
    status: "pending" as const,
    rawInput: args,
    content: [...changes, ...notes.map(textContent)],
    locations: paths.map((path) => ({ path })),
  };
}

/** A result's text, and its images and files behind it. */
function shown(content: Content): AcpToolContent[] {
  const attachments = attachmentsIn(content).map((attachment): AcpToolContent => ({
    type: "content",
    content: attachmentBlock(attachment),
  }));
  return [textContent(contentText(content)), ...attachments];
}

function kindOf(args: ToolArgs): AcpToolKind {
  return KINDS.find(([argument]) => Object.hasOwn(args, argument))?.[1] ?? "other";
}

function titleOf(tool: string, args: ToolArgs): string {
  const subject = SUBJECTS.map((name) => args[name]).find((value) => typeof value === "string");
  const [line = ""] = (typeof subject === "string" ? subject : "").split("\n");
  const title = line === "" ? tool : `${tool} ${line}`;
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

function locationsOf(cwd: string, { filePath, path }: ToolArgs): { path: string }[] {
  const place = filePath ?? path;
  if (typeof place !== "string" || place === "") return [];
  const base = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return [{ path: place.startsWith("/") ? place : `${base}${place}` }];
}

function textContent(text: string): AcpToolContent {
  return { type: "content", content: { type: "text", text } };
}

function diffOf({ path, before, after }: FileChange): AcpToolContent {
  return { type: "diff", path, oldText: before, newText: after ?? "" };
}
