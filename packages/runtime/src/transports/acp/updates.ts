/** A stored session, as `session/list` of the Agent Client Protocol names it. */
export interface AcpSessionInfo {
  sessionId: string;
  /** Absolute. */
  cwd: string;
  additionalDirectories?: string[];
  title?: string | null;
  /** In ISO 8601. */
  updatedAt?: string | null;
}

export type AcpContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text: string } }
  | { type: "resource"; resource: { uri: string; mimeType?: string; blob: string } };

export type AcpToolKind = "read" | "edit" | "search" | "execute" | "fetch" | "other";

export type AcpToolContent =
  | { type: "content"; content: AcpContentBlock }
  | { type: "diff"; path: string; oldText?: string | null; newText: string };

/** A tool call, as far as it is known. */
interface AcpToolFacts {
  toolCallId: string;
  kind?: AcpToolKind;
  status?: "pending" | "in_progress" | "completed" | "failed";
  content?: AcpToolContent[];
  locations?: { path: string }[];
  rawInput?: unknown;
  rawOutput?: unknown;
}

/** The updates of the Agent Client Protocol, version 1, that sessions send: `SessionUpdate` of its SDK takes them. */
export type AcpUpdate =
  | {
      sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
      content: AcpContentBlock;
      messageId?: string;
    }
  | ({ sessionUpdate: "tool_call"; title: string } & AcpToolFacts)
  | ({ sessionUpdate: "tool_call_update"; title?: string } & AcpToolFacts)
  | { sessionUpdate: "current_mode_update"; currentModeId: string }
  | { sessionUpdate: "session_info_update"; title: string | null }
  | { sessionUpdate: "usage_update"; used: number; size: number };
