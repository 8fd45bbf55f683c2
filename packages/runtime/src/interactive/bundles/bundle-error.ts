import { RobotaError, type RobotaErrorOptions } from "../../errors.ts";

/**
 * Reasons of a refused bundle or marketplace: `BUNDLE_INVALID` (a file of it can't be used), `BUNDLE_UNSAFE` (an unsafe
 * archive member or file), `BUNDLE_TOO_LARGE`, `BUNDLE_DAMAGED` (not a whole archive),
 * `BUNDLE_MISMATCH` (content other than the pinned one), `BUNDLE_CHANGED` (no longer what was installed or shown),
 * `BUNDLE_NOT_FOUND`, `BUNDLE_EXISTS`, `BUNDLE_AMBIGUOUS` (several sources have the name), `BUNDLE_REFUSED` (the person
 * did not approve), `BUNDLE_UNREACHABLE` (no answer from a source).
 */
export type BundleErrorCode =
  | "BUNDLE_INVALID"
  | "BUNDLE_UNSAFE"
  | "BUNDLE_TOO_LARGE"
  | "BUNDLE_DAMAGED"
  | "BUNDLE_MISMATCH"
  | "BUNDLE_CHANGED"
  | "BUNDLE_NOT_FOUND"
  | "BUNDLE_EXISTS"
  | "BUNDLE_AMBIGUOUS"
  | "BUNDLE_REFUSED"
  | "BUNDLE_UNREACHABLE";

const HINTS: Record<BundleErrorCode, string> = {
  BUNDLE_INVALID: "Correct the file that the message names, or ask the bundle's author to.",
  BUNDLE_UNSAFE: "Do not install it: no honest bundle needs such a file. Nothing was written.",
  BUNDLE_TOO_LARGE: "Ask its author for a smaller one. Nothing was written.",
  BUNDLE_DAMAGED: "Download it again; if it fails again, ask its author. Nothing was written.",
  BUNDLE_MISMATCH: "Do not install it before its author has confirmed the change.",
  BUNDLE_CHANGED: "Review the changes, then install it again.",
  BUNDLE_NOT_FOUND: "List the existing ones.",
  BUNDLE_EXISTS: "Update it, or remove it first.",
  BUNDLE_AMBIGUOUS: "Use the qualified name: name@source.",
  BUNDLE_REFUSED: "Nothing was changed. Ask again when the person agrees.",
  BUNDLE_UNREACHABLE: "Check the address and the connection, then try again.",
};

export interface BundleErrorFacts extends RobotaErrorOptions {
  /** Path in the bundle, such as `hooks/hooks.json`. */
  file?: string | undefined;
  /** Position in that file, such as `PreToolUse[0].matcher`. */
  field?: string | undefined;
}

/** Thrown by everything that reads, installs or finds bundles. */
export class BundleError extends RobotaError {
  override readonly name = "BundleError" as const;
  declare readonly code: BundleErrorCode;
  readonly file: string | undefined;
  readonly field: string | undefined;

  constructor(code: BundleErrorCode, message: string, facts: BundleErrorFacts = {}) {
    const { file, field, cause, hint = HINTS[code] } = facts;
    const recoverable = code === "BUNDLE_UNREACHABLE";
    super(message, { code, category: "user", recoverable, hint, cause });
    this.file = file;
    this.field = field;
  }
}

/** The error about a file of a bundle, or one field in it. */
export function invalid(
  file: string,
  field: string,
  problem: string,
  cause?: unknown,
): BundleError {
  const place = field === "" ? file : `${file}: ${field}`;
  return new BundleError("BUNDLE_INVALID", `${place} ${problem}`, {
    file,
    field: field || undefined,
    cause,
  });
}
