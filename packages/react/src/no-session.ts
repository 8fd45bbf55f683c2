import { SessionError } from "@robota/runtime";

/** Refuses an action while no session is open. @throws {SessionError} `NOT_FOUND` */
export function refuse(): never {
  throw new SessionError("NOT_FOUND", "No session is open", {
    hint: "Wait until useSession has a session.",
  });
}
