import type { Session } from "../../session/session.ts";
import type { ResolvedSettings } from "../settings/settings.ts";

/** The part of an `InteractiveSession` that commands use. */
export type CommandSession = Pick<
  Session,
  | "sessionId"
  | "clearHistory"
  | "getPermissionMode"
  | "setPermissionMode"
  | "getContextState"
  | "getSystemPromptReport"
  | "getMessageCount"
  | "getUsage"
  | "getCost"
  | "getSessionAllowedTools"
  | "getPermissionRules"
  | "revokePermission"
  | "explain"
  | "workspace"
  | "getName"
  | "getModel"
  | "setModel"
  | "getLanguage"
  | "setLanguage"
  | "setName"
  | "checkpoints"
  | "isEmpty"
  | "rewind"
  | "export"
  | "handOver"
  | "handedOverTo"
  | "lastSeq"
> & {
  compact(instructions?: string): Promise<{ before: number; after: number; isEmpty?: true }>;
  fork(at?: string | number): Promise<{ sessionId: string; shutdown(): Promise<void> }>;
  getSettings(): ResolvedSettings | undefined;
};
