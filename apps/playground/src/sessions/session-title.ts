import type { SessionHeader } from "@robota/runtime/sessions";

/** The title of a session: its name, else its first prompt. */
export function sessionTitle(session: Pick<SessionHeader, "name" | "preview">): string {
  return session.name || session.preview.split("\n")[0]?.slice(0, 80) || "New session";
}
