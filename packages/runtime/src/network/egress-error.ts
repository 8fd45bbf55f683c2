import { RobotaError, type RobotaErrorOptions } from "../errors.ts";

/**
 * `EGRESS_REFUSED` (the address, the host, the port or a redirect is not allowed), `EGRESS_REDIRECTS` (too many, or
 * none that can be followed), `EGRESS_TOO_LARGE`, `EGRESS_TYPE` (unexpected content type), `EGRESS_TIMEOUT`,
 * `EGRESS_FAILED` (no answer: the name, the connection, TLS, or a site that does not allow a page to read it).
 */
export type EgressErrorCode =
  | "EGRESS_REFUSED"
  | "EGRESS_REDIRECTS"
  | "EGRESS_TOO_LARGE"
  | "EGRESS_TYPE"
  | "EGRESS_TIMEOUT"
  | "EGRESS_FAILED";

/**
 * A request that was not sent, or whose answer was rejected. Only the origin of its address is reported: a path or a
 * query can hold a key.
 */
export class EgressError extends RobotaError {
  override readonly name = "EgressError" as const;
  declare readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = code === "EGRESS_TIMEOUT" || code === "EGRESS_FAILED";
    super(message, { code, category: recoverable ? "system" : "user", recoverable, ...options });
  }
}
