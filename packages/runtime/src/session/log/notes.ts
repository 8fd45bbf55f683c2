import type { ReasoningEffort } from "../../providers/provider.ts";
import type { SessionEvent, SessionEventBody, SessionEventOf } from "./events.ts";

/** Every kind of note that a session writes itself. */
export type NoteKind =
  /** A plugin changed the model's answer. */
  | "answer-changed"
  | "auto-compact-failed"
  | "auto-compact-paused"
  /** Files that rewinding can't bring back. */
  | "files-not-covered"
  | "files-restored"
  | "grant-not-kept"
  /** The last event of a session that goes on elsewhere. */
  | "handed-over"
  /** A hook ended the turn. */
  | "hook-stopped"
  | "hook-warning"
  /** The session came from an export. */
  | "imported"
  /** A change in an imported session that its host's own choice counts before. */
  | "language-change"
  | "log-damaged"
  | "logger-failed"
  /** An MCP server is connected to, or has failed. */
  | "mcp-server"
  | "model-change"
  /** A request to the model failed and is repeated: a `ModelRetry`. Shown to those who follow the session, never stored. */
  | "model-retry"
  /** The chosen model is not among the providers that the session was opened with. */
  | "model-unavailable"
  | "settings-changed"
  | "settings-kept"
  /** A person or the model uses a skill in this turn. */
  | "skill-invocation"
  /** A model is asked for a summary, or (`isDone`) has answered. Shown to those who follow the session, never stored. */
  | "summarising"
  /** A summary that was asked for could not be used; its tokens are spent. */
  | "summary-unused"
  /** A system message of an imported session, which no model is given. */
  | "system-message"
  /** Another tab or process holds the session now. */
  | "taken-over"
  /** The session has other tools from now on: the names of all. */
  | "tools-changed"
  | "turn-refused";

/** Data of the note on a request to the model that is repeated. */
export interface ModelRetry {
  /** Number of the coming attempt after the first one, from 1. */
  retry: number;
  /** Attempts after the first one that there are at most. */
  of: number;
  /** Milliseconds until then. */
  waitMs: number;
  /** Code and message of the failure, without secrets. */
  code: string;
  message: string;
}

declare const ofProgram: unique symbol;

/** The kind of a history entry that a program added, in its own words. No literal is one, so a misspelt kind does not compile. */
export type ProgramNoteKind = string & { readonly [ofProgram]: true };

/** The event of a history entry that a program added. */
export function programNote(kind: string, data: unknown): SessionEventBody {
  return { type: "note", kind: kind as ProgramNoteKind, data };
}

/** The history entry for a skill that a person or the model invoked. */
export interface SkillInvocation {
  skillName: string;
  /** As a person types it: `/deploy production`. */
  displayInput: string;
  /** Id of the model that answers from here to the turn's end; absent where the skill names none. */
  model?: string | undefined;
  effort?: ReasoningEffort | undefined;
  /** A model that the skill names and this session can't use: its own answers. */
  unavailableModel?: string | undefined;
}

/** The reason for which a hook of one of the session's agents ended the turn, if the event reports that. */
export function reasonOfAgentStop(event: SessionEvent): string | undefined {
  if (!isNote(event, "hook-stopped")) return undefined;
  const { data } = event;
  if (typeof data !== "object" || data === null || !("agentId" in data)) return undefined;
  return "reason" in data ? String(data.reason) : "";
}

/** The reason of a hook that interrupts everything from this session of an agent, if the event is such a one. */
export function reasonOfInterruption(event: SessionEvent): string | undefined {
  if (event.type !== "permission_decision") return reasonOfAgentStop(event);
  const { allow, interrupt, reason = "" } = event.decision;
  return !allow && interrupt ? reason : undefined;
}

/** The place at which a session goes on that was handed over. */
export interface SessionPlace {
  /** The session's id there. */
  sessionId: string;
  /** Address of its server, such as `https://robota.example`. */
  url?: string | undefined;
}

/** The destination, if the event is the last one of a session that was handed over. */
export function placeIn(event: SessionEvent | undefined): SessionPlace | undefined {
  if (!isNote(event, "handed-over")) return undefined;
  const { sessionId, url } = fieldsOf(fieldsOf(event.data)["to"]);
  if (typeof sessionId !== "string") return undefined;
  return { sessionId, ...(typeof url === "string" && { url }) };
}

/** True for the note of an import that the exporting host had handed its session over to. */
export function isArrival(event: SessionEvent | undefined): boolean {
  return isNote(event, "imported") && isHandedOver(event.data);
}

/** As `isArrival`, for the content of such a note. */
export function isHandedOver(data: unknown): boolean {
  return fieldsOf(data)["handedOver"] === true;
}

/** Ids of the open calls that came with an import without a secret of their arguments. */
export function withheldCallsIn(event: SessionEvent | undefined): string[] {
  if (!isNote(event, "imported")) return [];
  const ids = fieldsOf(event.data)["withheldCalls"];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** True for the note that ends the import of that mark. */
export function endsImport(event: SessionEvent, mark: string | undefined): boolean {
  return isNote(event, "imported") && fieldsOf(event.data)["mark"] === mark;
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === "object" && data !== null ? { ...data } : {};
}

/** Recognizes a note of one of these kinds. */
export function isNote(
  event: SessionEvent | undefined,
  ...kinds: readonly NoteKind[]
): event is SessionEventOf<"note"> {
  return event?.type === "note" && kinds.some((kind) => kind === event.kind);
}
