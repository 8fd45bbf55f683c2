import { SessionError } from "@robota/runtime";

/** The refusal of an action without a session. */
export function noSession(): SessionError {
  return new SessionError("NOT_FOUND", "No session is open", {
    hint: "Wait until the hook has a session.",
  });
}
