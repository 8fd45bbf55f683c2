import type { SystemCommand } from "../interactive/system-command.ts";

/** Where commands of a session come from: built in, the skills of a person or a project, a bundle. */
export interface ICommandSource {
  /** Unique among the sources of a registry. */
  readonly name: string;
  /** All of them, in the order in which they are shown. */
  getCommands(): SystemCommand[];
}
