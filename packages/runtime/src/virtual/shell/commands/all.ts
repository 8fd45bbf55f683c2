import type { ShellCommand } from "../command.ts";

/** What agents write all the time and the interpreter lacks or words differently. */
export const addedCommands: readonly ShellCommand[] = [];
