import { RobotaError, type RobotaErrorOptions } from "../../errors.ts";

/**
 * Reasons of a failed import: `NOT_AN_ARCHIVE` (none of the known kinds), `DAMAGED` (truncated, or a checksum
 * mismatch), `UNSAFE_NAME` (a member outside of the tree, or a duplicate), `TOO_MANY_ENTRIES` and `TOO_LARGE` (over the
 * limits), `LEFT_OVER` (it failed, and its partial result could not be removed).
 */
export type ImportErrorCode =
  | "NOT_AN_ARCHIVE"
  | "DAMAGED"
  | "UNSAFE_NAME"
  | "TOO_MANY_ENTRIES"
  | "TOO_LARGE"
  | "LEFT_OVER";

/** Thrown by `importFiles`. But for `LEFT_OVER`, nothing of the import is there. */
export class ImportError extends RobotaError {
  override readonly name = "ImportError" as const;
  declare readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string, options: RobotaErrorOptions = {}) {
    super(message, { code, category: "user", recoverable: false, ...options });
  }
}
