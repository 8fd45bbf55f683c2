import type { ShellCommand } from "../../command.ts";

/** No command runs beside another, so there is never one to list. */
export const jobs: ShellCommand = { name: "jobs", run: () => ({}) };
