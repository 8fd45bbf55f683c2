import { errorMessage } from "../../errors.ts";
import type { CommandResult } from "./command.ts";
import type { CommandSession } from "./command-session.ts";

/** Implementations load with the first execution. */
const SYSTEM_COMMANDS = [
  { name: "help", description: "Show the commands" },
  { name: "clear", description: "Empty the conversation" },
  {
    name: "compact",
    description: "Summarise the conversation to free context: /compact [focus]",
  },
  { name: "mode", description: "Show or change the permission mode" },
  { name: "context", description: "Show how full the model's context window is" },
  { name: "cost", description: "Show the session's id, turns, tokens and cost" },
  { name: "permissions", description: "Show the mode and the calls allowed without asking" },
  { name: "rename", description: "Name the session" },
] as const;

export type SystemCommandName = (typeof SYSTEM_COMMANDS)[number]["name"];

export function listSystemCommands(): { name: string; description: string }[] {
  return SYSTEM_COMMANDS.map((command) => ({ ...command }));
}

/** Resolves to `null` for an unknown name. A failing command is a result. */
export async function executeSystemCommand(
  session: CommandSession,
  name: string,
  args: string,
): Promise<CommandResult | null> {
  const command = SYSTEM_COMMANDS.find((candidate) => candidate.name === name);
  if (!command) return null;
  try {
    const { EXECUTIONS } = await import("./executions.ts");
    return await EXECUTIONS[command.name](session, args);
  } catch (error) {
    return { message: errorMessage(error), success: false };
  }
}
