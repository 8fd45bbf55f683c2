import type { Command, CommandSource } from "./command.ts";

/** The commands of every session: `help`, `clear`, `mode` and the others, with their subcommands. */
export class BuiltinCommandSource implements CommandSource {
  readonly name = "builtin";

  async getCommands(): Promise<readonly Command[]> {
    return (await import("./builtin/builtin-commands.ts")).BUILTIN_COMMANDS;
  }
}
