import { defined } from "../../../defined.ts";
import type { Command, CommandResult } from "../command.ts";
import { BUILTIN, type BuiltinName } from "../builtin-list.ts";

export function done(message: string, data?: Record<string, unknown>): CommandResult {
  return defined({ message, success: true, data });
}

export function refused(message: string): CommandResult {
  return { message, success: false };
}

/** A built-in command. */
export function builtin(
  name: BuiltinName,
  rest: Omit<Command, "name" | "description" | "source">,
): Command {
  return { name, description: BUILTIN[name], source: "builtin", ...rest };
}

/** A subcommand of one. */
export function sub(
  name: string,
  description: string,
  rest: Omit<Command, "name" | "description" | "source">,
): Command {
  return { name, description, source: "builtin", ...rest };
}

/** The beginning of a text on one line. */
export function brief(text: string, length = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** `1 turn`, `2 turns`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
