import type { Command } from "./command.ts";

/** The command that arguments lead to, and those left for it. */
export interface Target {
  command: Command;
  args: string;
}

/** Follows the first arguments as long as they name subcommands. */
export function targetOf(command: Command, args: string): Target {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  const next = word === "" ? undefined : subcommandOf(command, word);
  return next ? targetOf(next, rest) : { command, args };
}

/** A subcommand by its name, under the whole name, with the properties it inherits. */
function subcommandOf(command: Command, name: string): Command | undefined {
  const found = command.subcommands?.find(
    (one) => one.name === name || one.aliases?.includes(name),
  );
  if (!found) return undefined;
  const { scope = command.scope, callers = command.callers } = found;
  return inheriting(found, { name: `${command.name} ${found.name}`, scope, callers });
}

/** A copy that keeps the methods of a class. */
function inheriting(command: Command, taken: Pick<Command, "name" | "scope" | "callers">): Command {
  return Object.create(
    command,
    Object.fromEntries(
      Object.entries(taken).map(([key, value]) => [key, { value, enumerable: true }]),
    ),
  ) as Command;
}
