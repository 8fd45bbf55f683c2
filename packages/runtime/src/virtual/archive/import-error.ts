import { RobotaError, type RobotaErrorOptions } from "../../errors.ts";

/**
 * Why files were not brought in: `NOT_AN_ARCHIVE` (none of the known kinds), `DAMAGED` (it ends too early, or its contents
 * don't fit their checksums), `UNSAFE_NAME` (a member would lie outside, or twice in one place), `TOO_MANY_ENTRIES` and
 * `TOO_LARGE` (over the limits), `LEFT_OVER` (it failed, and what was written so far could not be removed again).
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
