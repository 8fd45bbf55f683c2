import { SessionError } from "../errors.ts";

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
