import type { Message } from "../../messages/message.ts";

/** A word about pictures and files of the prompt that is answered: a script has no use for them. */
export function unread(messages: readonly Message[]): string {
  const asked = messages.at(-1);
  if (asked?.role !== "user" || typeof asked.content === "string") return "";
  const sent = asked.content.filter(
    (part) =>
      // The session adds what the prompt mentions as `@path`.
      part.type === "image" || (part.type === "file" && !part.name?.startsWith("@")),
  );
  if (sent.length === 0) return "";
  const what = sent.every(({ type }) => type === "image") ? "picture" : "file";
  return sent.length === 1
    ? `I'm a script, so I can't look at the ${what} you sent. A real model can.`
    : `I'm a script, so I can't look at the ${sent.length} ${what}s you sent. A real model can.`;
}
