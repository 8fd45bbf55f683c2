import { contentText, type Message } from "../../messages/message.ts";

/** Lines of each list, newest last; older ones are only counted. */
const MAX_LINES = 12;
const MAX_LINE = 120;

/** A list of what happened, without understanding any of it: a script can honestly say no more. */
export function scriptedSummary(messages: readonly Message[]): string {
  const asked: string[] = [];
  const calls = new Map<string, string>();
  for (const message of messages.slice(0, -1)) {
    if (message.role === "user") asked.push(oneLine(contentText(message.content)));
    if (message.role === "assistant")
      for (const { id, name, args } of message.toolCalls ?? [])
        calls.set(id, oneLine(`${name} ${firstText(args)}`));
    if (message.role === "tool" && message.isError) {
      const call = calls.get(message.toolCallId);
      if (call) calls.set(message.toolCallId, `${call} (failed)`);
    }
  }
  return [
    "Scripted summary: a list of what happened, made without a model.",
    section("Asked", asked),
    section("Tool calls", [...calls.values()]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(-MAX_LINES).map((line) => `- ${line}`);
  const older = lines.length - shown.length;
  return [`${title}:`, ...(older > 0 ? [`- ${older} earlier`] : []), ...shown].join("\n");
}

function firstText(args: Readonly<Record<string, unknown>>): string {
  return Object.values(args).find((value) => typeof value === "string") ?? "";
}

function oneLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line;
}
