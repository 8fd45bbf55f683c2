import { contentText, type Message } from "../../messages/message.ts";
import { SUMMARY_REQUEST } from "../../messages/summary-request.ts";

/** True for the session's request for a summary, which no person has typed. */
export function asksForSummary(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && contentText(last.content).startsWith(SUMMARY_REQUEST);
}
