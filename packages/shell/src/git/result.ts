import type { ShellCommandResult } from "../command.ts";
import type { Repository } from "./repository/repository.ts";

/** One of git's commands, in a repository. */
export type Subcommand = (
  repo: Repository,
  args: readonly string[],
) => Promise<ShellCommandResult> | ShellCommandResult;
