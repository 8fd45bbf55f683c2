import type { CommandResult } from "./command.ts";
import type { InteractiveSession } from "../interactive-session.ts";

/** A command that a person calls by name. It touches the session only; anything else is for the caller, by `data`. */
export interface SystemCommand {
  name: string;
  description: string;
  execute(session: InteractiveSession, args: string): Promise<CommandResult> | CommandResult;
}
