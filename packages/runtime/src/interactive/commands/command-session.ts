import type { Session } from "../../session/session.ts";

/** The part of a session that built-in commands use. */
export type CommandSession = Pick<
  Session,
  | "sessionId"
  | "clearHistory"
  | "getPermissionMode"
  | "setPermissionMode"
  | "getContextState"
  | "getMessageCount"
  | "getUsage"
  | "getCost"
  | "getSessionAllowedTools"
  | "setName"
> & {
  compact(instructions?: string): Promise<{ before: number; after: number; isEmpty?: true }>;
};
