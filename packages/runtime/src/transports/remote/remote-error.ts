import { RobotaError, type RobotaErrorOptions } from "../../errors.ts";

/** `UNREACHABLE`: no answer arrived; `BAD_ANSWER`: the response is not one of such a server. */
export type RemoteErrorCode = "UNREACHABLE" | "BAD_ANSWER";

const hints: Record<RemoteErrorCode, string> = {
  UNREACHABLE: "Check the address and the connection, then try again.",
  BAD_ANSWER: "Check that the address is that of a Robota server of this version.",
};

/** The connection to a session elsewhere failed. What the session itself refuses has the session's own errors. */
export class RemoteError extends RobotaError {
  override readonly name = "RemoteError" as const;
  declare readonly code: RemoteErrorCode;

  constructor(code: RemoteErrorCode, message: string, options: RobotaErrorOptions = {}) {
    const recoverable = code === "UNREACHABLE";
    const hint = options.hint ?? hints[code];
    super(message, { code, category: "system", recoverable, ...options, hint });
  }
}

/** The error for an answer that did not arrive. */
export function unreachable(reason: string, cause?: unknown): RemoteError {
  return new RemoteError("UNREACHABLE", `The server can't be reached: ${reason}`, { cause });
}
