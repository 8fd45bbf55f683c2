import { requireArgument, ValidationError } from "../../errors.ts";
import { type HistoryEntry, isChatEntry } from "../../messages/history.ts";
import { isContent } from "../../messages/is-content.ts";
import type { Clock } from "../../ports/assemble.ts";
import { eventOf } from "../store/record.ts";
import type { SessionEventBody } from "./events.ts";
import { programNote } from "./notes.ts";

const ROLES: readonly unknown[] = ["user", "assistant", "system", "tool"];

/** Rejects a message that could be stored, and never sent. @throws {ValidationError} that names its part */
export function requireMessage({ role, content }: { role: unknown; content: unknown }): void {
  if (!ROLES.includes(role))
    throw new ValidationError(
      `${JSON.stringify(role) ?? typeof role} is not the role of a message`,
      {
        hint: `Pass one of ${ROLES.join(", ")} as role.`,
      },
    );
  if (!isContent(content)) requireArgument("content", content);
}

/** The event that records a message of a program. */
export function eventOfText(
  role: "user" | "assistant" | "system",
  content: string,
  clock: Clock,
): SessionEventBody {
  const base = { id: clock.randomUUID(), timestamp: new Date(clock.now()), content };
  return role === "assistant"
    ? { type: "assistant_message", message: { role, ...base, state: "complete" } }
    : { type: "user_message", message: { role, ...base } };
}

/** The event that records an entry of a program. @throws {ValidationError} for one that no history has */
export function eventOfEntry(entry: HistoryEntry): SessionEventBody {
  requireArgument("entry", entry, "object");
  requireArgument("entry.type", entry.type);
  if (!isChatEntry(entry)) return programNote(entry.type, entry.data);
  requireArgument("entry.data", entry.data, "object");
  requireMessage(entry.data);
  return eventOf(entry.data);
}
