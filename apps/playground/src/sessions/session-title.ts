import type { SessionHeader } from "@robota/runtime/sessions";

/** What a session is called: its name, else how it began. */
export function sessionTitle(session: Pick<SessionHeader, "name" | "preview">): string {
  return session.name || session.preview.split("\n")[0]?.slice(0, 80) || "New session";
}
