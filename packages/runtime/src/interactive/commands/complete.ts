import { defined } from "../../defined.ts";
import type { Command, CommandArgument, CommandContext } from "./command.ts";
import type { CommandSession } from "./command-session.ts";
import { targetOf } from "./subcommands.ts";

/** A completion of a command that is being typed. */
export interface CommandCompletion extends CommandArgument {
  /** The choice replaces the text from here. */
  start: number;
  /** And to here. */
  end: number;
  /** The arguments that follow it, as a person reads them. */
  argumentHint?: string | undefined;
}

/**
 * The completions of the word at the cursor: commands with their slash, subcommands, or values of an argument. None
 * when the text is not a command. Case is ignored; an alias completes to its command.
 */
export async function completionsOf(
  commands: readonly Command[],
  session: CommandSession,
  context: CommandContext,
  text: string,
  cursor: number,
): Promise<CommandCompletion[]> {
  const before = text.slice(0, cursor);
  const [line] = /^\s*\/[\s\S]*$/.exec(before) ?? [];
  if (line === undefined) return [];
  const [word = ""] = /(?<!\S)\S*$/.exec(before) ?? [];
  const start = before.length - word.length;
  const end = start + (/^\S*/.exec(text.slice(start))?.[0].length ?? 0);
  const place = { start, end };
  const head = before.slice(0, start).trim();
  if (head === "")
    return commands
      .filter((command) => beginsWith(command, word.slice(1)))
      .map((command) => choice(command, place, "/"));
  const [, name = "", given = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(head) ?? [];
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
  if (!command) return [];
  const target = targetOf(command, given);
  const { subcommands = [] } = target.command;
  const isFirst = target.args.trim() === "";
  const values = (await target.command.complete?.(session, target.args.trim(), context)) ?? [];
  return [
    ...(isFirst ? subcommands.filter((one) => beginsWith(one, word)) : []).map((one) =>
      choice(one, place),
    ),
    ...values
      .filter(({ value }) => value.toLowerCase().startsWith(word.toLowerCase()))
      .map((one) => ({ ...one, ...place })),
  ];
}

function choice(
  { name, description, argumentHint }: Command,
  place: { start: number; end: number },
  slash = "",
): CommandCompletion {
  return {
    value: `${slash}${name}`,
    description,
    ...place,
    ...defined({ argumentHint }),
  };
}

/** A plugin's command also by its short name. */
function beginsWith({ name, aliases = [] }: Command, typed: string): boolean {
  const start = typed.toLowerCase();
  const short = name.slice(name.lastIndexOf(":") + 1);
  return [name, short, ...aliases].some((one) => one.toLowerCase().startsWith(start));
}
