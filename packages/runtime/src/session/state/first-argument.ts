import type { Message, ToolArgs } from "../../messages/message.ts";
import { isSecret, REDACTED } from "../../messages/secret-names.ts";
import { cutEnd, cutStart } from "../../tools/text-cut.ts";

const FIRST_ARG_LENGTH = 80;
const FIRST_ARG_HEAD = 47;
const FIRST_ARG_TAIL = 30;

/** The first text among the arguments on one line, shortened in the middle; never one under a secret's name. */
export function firstArgument(args: ToolArgs): string {
  for (const [name, value] of Object.entries(args))
    if (typeof value === "string") return isSecret(name, value) ? REDACTED : onOneLine(value);
  return "";
}

function onOneLine(value: string): string {
  const text = value.replaceAll("\n", " ");
  if (text.length <= FIRST_ARG_LENGTH) return text;
  const [head, tail] = [cutEnd(text, FIRST_ARG_HEAD), cutStart(text, FIRST_ARG_TAIL)];
  return `${head}...${tail}`.toWellFormed();
}

/** The first argument of a call that never started, such as a denied one. */
export function askedFor(messages: readonly Message[], toolCallId: string): string {
  const asking = messages.findLast(({ role }) => role === "assistant");
  const calls = asking?.role === "assistant" ? asking.toolCalls : undefined;
  return firstArgument(calls?.find(({ id }) => id === toolCallId)?.args ?? {});
}
