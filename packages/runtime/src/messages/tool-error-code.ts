import type { FileSystemErrorCode } from "../errors.ts";

/** Codes of calls that did not run, or whose result the session gave itself. */
export type CallErrorCode =
  | "unknown_tool"
  | "invalid_arguments"
  | "permission_denied"
  /** A `PreToolUse` hook refused the call. */
  | "hook_blocked"
  | "plugin_refused"
  /** A check before the call failed, so the call was not run. */
  | "check_failed"
  | "aborted"
  /** Cut while it ran: whether it happened is unknown. */
  | "unknown_outcome"
  /** Arrived with its session, but without a secret of its arguments, so it was not run. */
  | "secret_withheld"
  /** The window had no room for the result. */
  | "result_skipped"
  /** The tool threw an error without a code. */
  | "tool_failed";

/** Codes of the tools that come with the runtime. */
export type BuiltInToolErrorCode =
  | FileSystemErrorCode
  | `http_${number}`
  | "agent_failed"
  | "background"
  | "bad_answer"
  | "binary"
  | "exit_code"
  | "header_not_allowed"
  | "invalid_notebook"
  | "invalid_pattern"
  | "mcp_error"
  | "network_error"
  | "no_change"
  | "no_match"
  | "not_invocable"
  | "not_configured"
  | "not_read"
  | "out_of_range"
  | "redirect"
  | "several_matches"
  | "stale"
  | "timeout"
  | "too_large"
  | "unknown_agent"
  | "unknown_skill";

/** Every `errorCode` that the runtime writes. A program's own tools may use others. */
export type ToolErrorCode = CallErrorCode | BuiltInToolErrorCode;

/** Compares the code of a result, an outcome or a message for the model. A misspelt code does not compile. */
export function hasErrorCode(
  { errorCode }: { readonly errorCode?: string | undefined },
  ...codes: readonly ToolErrorCode[]
): boolean {
  return codes.some((code) => code === errorCode);
}
