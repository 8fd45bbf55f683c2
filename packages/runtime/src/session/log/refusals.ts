import { SessionError, StorageError } from "../../errors.ts";

export function busy(): SessionError {
  return new SessionError("SESSION_BUSY", "A turn is open in this session", {
    hint: "Wait for it, stop it with abort(), or answer its pending approval.",
  });
}

export function closed(): SessionError {
  return new SessionError("CLOSED", "The session was shut down", {
    hint: "Open it again by its id.",
  });
}

/** The refusal of a session that was handed over to another host. */
export function handedOver(to: string | undefined): SessionError {
  const where = to === undefined ? "elsewhere" : `as ${to}`;
  return new SessionError("HANDED_OVER", `The session was handed over and goes on ${where}`, {
    hint: "Send this to where it goes on. What it was here can still be read, exported and forked.",
  });
}

/** Throws `error` unless it reports a take-over by another tab or process. */
export function unlessTakenOver(error: unknown): void {
  if (!(error instanceof StorageError) || error.code !== "FENCED") throw error;
}
