import type { Message } from "../../messages/message.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import type { RemoteState } from "./link.ts";
import { RemoteError } from "./remote-error.ts";

/** An event as it arrived, with its dates. Unknown types pass through. @throws {RemoteError} `BAD_ANSWER` */
export function readEvent(value: unknown, sessionId: string): SessionEvent {
  const fields = objectOf(value);
  const isEvent =
    Number.isSafeInteger(fields["seq"]) &&
    typeof fields["type"] === "string" &&
    fields["sessionId"] === sessionId;
  if (!isEvent)
    throw new RemoteError("BAD_ANSWER", "The server sent something other than an event");
  const { message } = fields;
  if (typeof message === "object" && message !== null && "timestamp" in message)
    fields["message"] = {
      ...message,
      timestamp: new Date(String(message.timestamp)),
    } as Message;
  return fields as unknown as SessionEvent;
}

/** The session's state as it arrived. @throws {RemoteError} `BAD_ANSWER` */
export function readState(value: unknown): RemoteState {
  const fields = objectOf(value);
  const isState =
    Number.isSafeInteger(fields["seq"]) &&
    typeof fields["permissionMode"] === "string" &&
    typeof fields["context"] === "object" &&
    typeof fields["model"] === "object";
  if (!isState)
    throw new RemoteError("BAD_ANSWER", "The server sent something other than a session");
  return fields as unknown as RemoteState;
}

/** The fields of an answer. @throws {RemoteError} `BAD_ANSWER` */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return { ...value };
  throw new RemoteError("BAD_ANSWER", "The server sent something other than an answer");
}
