import type { ShellCommandResult } from "../command.ts";
import type { Repository } from "./repository/repository.ts";

/** A subcommand of git, in a repository. */
export type Subcommand = (
  repo: Repository,
  args: readonly string[],
) => Promise<ShellCommandResult> | ShellCommandResult;
