import type { Message } from "@robota/runtime";
import type { SessionHeader } from "@robota/runtime/sessions";

/** The title of a session: its name, else its first prompt. */
export function sessionTitle(session: Pick<SessionHeader, "name" | "preview">): string {
  return session.name || session.preview.split("\n")[0]?.slice(0, 80) || "New session";
}

/** The first prompt of a person; of one without words, the name of its first attachment. `undefined` before that. */
export function firstPrompt(messages: readonly Message[]): string | undefined {
  const asked = messages.find(({ role }) => role === "user")?.content;
  if (asked === undefined || typeof asked === "string") return asked;
  for (const part of asked) {
    const words = part.type === "text" ? part.text : "name" in part && part.name;
    if (words) return words;
  }
  return "";
}

/** The key of a session in storage, as in `sessions/` and its id. */
const KEY = /\b[a-z]+\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

/** A message of the storage with the titles of sessions in place of their keys. */
export function withTitles(
  message: string,
  sessions: readonly Pick<SessionHeader, "id" | "name" | "preview">[],
): string {
  return message.replace(KEY, (_, id: string) => {
    const session = sessions.find((one) => one.id === id);
    return session ? `“${sessionTitle(session)}”` : "this session";
  });
}
