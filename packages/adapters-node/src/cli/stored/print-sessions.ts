import { contentText, listSessions, type Platform, type SessionEvent } from "@robota/runtime";
import { type SessionHeader } from "@robota/runtime/sessions";
import type { OutputFormat } from "../arguments/commands.ts";
import { findId } from "./find-session.ts";
import { firstLine, printable } from "../printable.ts";

/** Prints the stored sessions, newest first: a line for each, or their headers as JSON. */
export async function printSessions({ storage }: Platform, format: OutputFormat): Promise<void> {
  const sessions = await listSessions(storage);
  if (format === "json") print(JSON.stringify(sessions));
  if (format === "stream-json") for (const session of sessions) print(JSON.stringify(session));
  if (format === "text") for (const session of sessions) print(summaryOf(session));
}

/**
 * Prints a session's history without opening it: another process may be using it. As JSON: the stored events.
 * @throws {SessionError} `NOT_FOUND`
 */
export async function printSession(
  { storage }: Platform,
  given: string,
  format: OutputFormat,
): Promise<void> {
  const id = await findId(storage, given);
  const lines: string[] = [];
  const decoder = new TextDecoder();
  for await (const { value } of storage.read(`sessions/${id}`)) lines.push(decoder.decode(value));
  if (format === "json") print(`[${lines.join(",\n")}]`);
  if (format === "stream-json") for (const line of lines) print(line);
  if (format === "text") for (const line of lines) printEvent(line);
}

function summaryOf(header: SessionHeader): string {
  const { id, updatedAt, messageCount, name, preview, cwd, handedOverTo } = header;
  const when = updatedAt.slice(0, 16).replace("T", " ");
  const messages = `${messageCount} messages`.padStart(13);
  const moved = handedOverTo ? `, moved to ${printable(handedOverTo.url ?? "another host")}` : "";
  return `${id}  ${when}  ${messages}  ${firstLine(name ?? preview, 50)}  (${printable(cwd)}${moved})`;
}

function printEvent(line: string): void {
  const text = describe(line);
  if (text !== undefined && text !== "") print(printable(text));
}

/** A line about an event for a person; `undefined` for most kinds. */
function describe(line: string): string | undefined {
  const event = parseEvent(line);
  switch (event?.type) {
    case "user_message":
      return `\n> ${contentText(event.message.content).replaceAll("\n", "\n> ")}\n`;
    case "assistant_message":
      return contentText(event.message.content);
    case "tool_start":
      return `→ ${event.tool} ${event.firstArg}`;
    case "tool_end":
      return event.outcome.success ? undefined : `✗ ${event.tool} failed`;
    case "permission_decision":
      return event.decision.allow ? undefined : "✗ not allowed";
    case "compaction":
      return `(compacted: ${event.before} to ${event.after} tokens)`;
    case "turn_end":
      return event.state === "complete" ? undefined : `(${event.error?.message ?? event.state})`;
    case undefined:
      return "(a damaged record)";
    default:
      return undefined;
  }
}

function parseEvent(line: string): SessionEvent | undefined {
  try {
    // Written by a session; a line that is no longer JSON was damaged since.
    return JSON.parse(line) as SessionEvent;
  } catch {
    return undefined;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
