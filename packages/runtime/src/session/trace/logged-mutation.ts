import { messageFromJson } from "../../messages/message-json.ts";
import type { Message } from "../../messages/message.ts";
import type { SessionLogEntry } from "./entry.ts";
import { isObject } from "./lines.ts";

/** A logged change of the conversation, with its messages restored. */
export type LoggedMutation = { sequence: number } & (
  | { operation: "append"; message: Message }
  | { operation: "restore"; messages: Message[] }
  | { operation: "clear" }
  | { operation: "compact"; message: Message; kept: string[] }
  | { operation: "clear_tool_results"; keep: number }
  | { operation: "rewind"; upTo: number }
);

const ROLES = new Set<unknown>(["user", "assistant", "tool", "system"]);

/** Reads a `history_mutation`; `undefined` when it is invalid. */
export function readMutation({ data }: SessionLogEntry): LoggedMutation | undefined {
  const { sequence, operation } = data;
  if (typeof sequence !== "number") return undefined;
  switch (operation) {
    case "append": {
      const message = readMessage(data["message"]);
      return message && { sequence, operation, message };
    }
    case "restore": {
      const { messages } = data;
      if (!Array.isArray(messages)) return undefined;
      const read = messages.map(readMessage).filter((message) => message !== undefined);
      return read.length < messages.length ? undefined : { sequence, operation, messages: read };
    }
    case "clear":
      return { sequence, operation };
    case "compact": {
      const message = readMessage(data["message"]);
      const { kept } = data;
      if (!message || !Array.isArray(kept)) return undefined;
      const ids = kept.filter((id) => typeof id === "string");
      return { sequence, operation, message, kept: ids };
    }
    case "clear_tool_results": {
      const { keep } = data;
      return typeof keep === "number" ? { sequence, operation, keep } : undefined;
    }
    case "rewind": {
      const { upTo } = data;
      return typeof upTo === "number" ? { sequence, operation, upTo } : undefined;
    }
    default:
      return undefined;
  }
}

function readMessage(value: unknown): Message | undefined {
  if (!isObject(value)) return undefined;
  const { role, id, content, timestamp } = value;
  const isMessage =
    ROLES.has(role) &&
    typeof id === "string" &&
    typeof timestamp === "string" &&
    (typeof content === "string" || Array.isArray(content)) &&
    (role !== "tool" || typeof value["toolCallId"] === "string");
  // The other fields of a message are as logged, without the secrets.
  return isMessage ? messageFromJson(value as unknown as Message) : undefined;
}
