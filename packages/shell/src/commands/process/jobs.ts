import type { ShellCommand } from "../../command.ts";

/** Prints nothing, since the shell has no background jobs. */
export const jobs: ShellCommand = { name: "jobs", run: () => ({}) };
