import { RobotaError } from "@robota/runtime/ports";

/** `NOT_FOUND` (unknown id), `BUSY` (a tab has it open), `INVALID_NAME` (empty, or over 120 characters). */
export type WorkspaceErrorCode = "NOT_FOUND" | "BUSY" | "INVALID_NAME";

/** A refused operation on a workspace. */
export class WorkspaceError extends RobotaError {
  override readonly name = "WorkspaceError" as const;
  declare readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, options: { hint?: string } = {}) {
    super(message, { code, category: "user", recoverable: code === "BUSY", ...options });
  }
}
