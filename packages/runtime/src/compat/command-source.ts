import type { SystemCommand } from "../interactive/system-command.ts";

/** A source of a session's commands: built in, the skills of a person or a project, a bundle. */
export interface ICommandSource {
  /** Unique among the sources of a registry. */
  readonly name: string;
  /** All commands, in display order. */
  getCommands(): SystemCommand[];
}
