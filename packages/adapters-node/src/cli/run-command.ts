import type { InteractiveSession } from "@robota/runtime";
import type { CommandOutcome, CommandResult } from "@robota/runtime/sessions";
import type { OutputFormat } from "./arguments.ts";
import { printable } from "./printable.ts";

/**
 * The outcome of a prompt such as `/cost`, or the prompt that its command makes; `undefined` for any other text, also one
 * that only begins with a slash, such as a path.
 */
export async function commandOf(
  session: InteractiveSession,
  prompt: string,
): Promise<CommandOutcome | undefined> {
  const [, name, args = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? [];
  if (name === undefined) return undefined;
  return (await session.prepareCommand(name, args)) ?? undefined;
}

/** Prints the result of a command: its message, or the text that it made for the program. */
export function printCommand(
  sessionId: string,
  { message, success, data }: CommandResult,
  format: OutputFormat,
): void {
  if (format !== "text") {
    const result = { type: "command-result", sessionId, message, success, data };
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const text = typeof data?.["text"] === "string" ? data["text"] : message;
  const shown = process.stdout.isTTY ? printable(text) : text;
  if (shown !== "") process.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}
