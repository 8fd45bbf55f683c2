import type { InteractiveSession } from "@robota/runtime";

/** The outcome of a command that succeeded. */
export interface CommandReply {
  message: string;
  data: Readonly<Record<string, unknown>>;
}

/** Runs a command as the person at the session. @throws {Error} with the command's own words when it refuses */
export async function runCommand(
  session: InteractiveSession,
  name: string,
  args = "",
): Promise<CommandReply> {
  const result = await session.executeCommand(name, args);
  if (!result) throw new Error(`This session has no /${name}.`);
  if (!result.success) throw new Error(result.message);
  return { message: result.message, data: result.data ?? {} };
}

/** The objects of a list in a command's data. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "object" && item !== null);
}

/** A text in a command's data; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
