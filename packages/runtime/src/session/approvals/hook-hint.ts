import type { ExplainedOnFiles } from "../../permissions/paths/explain-on-files.ts";

/** A hook's opinion on a call, given before the rules are evaluated. */
export interface PermissionHint {
  decision: "allow" | "ask" | "deny";
  /** The hook's name, for the record. */
  by: string;
  reason?: string | undefined;
}

/** The strictest of both: a hook's `allow` saves only the mode's question. */
export function withHint(
  explained: ExplainedOnFiles,
  hint: PermissionHint,
): ExplainedOnFiles & { byHook?: boolean } {
  if (explained.decision === "deny") return explained;
  const reason = hint.reason ?? `The hook ${hint.by} decided so.`;
  if (hint.decision === "deny") return { ...explained, decision: "deny", reason, byHook: true };
  if (hint.decision === "ask")
    return explained.decision === "auto"
      ? { ...explained, decision: "approve", reason, byHook: true }
      : explained;
  return explained.decision === "approve" && explained.step === "mode"
    ? { ...explained, decision: "auto", reason, byHook: true }
    : explained;
}
