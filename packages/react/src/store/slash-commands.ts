/** A slash command of a session. */
export interface SlashCommand {
  name: string;
  description: string;
}

/** The name and the arguments of `/name arguments`, or `undefined` when the text is not one of `commands`. */
export function parseCommand(
  text: string,
  commands: readonly SlashCommand[],
): { name: string; args: string } | undefined {
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const name = match?.[1];
  if (!name || !commands.some((command) => command.name === name)) return undefined;
  return { name, args: match[2] ?? "" };
}

/** Completions for the beginning of a command's name, such as `/co`. */
export function matchCommands(
  text: string,
  commands: readonly SlashCommand[],
): readonly SlashCommand[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1];
  if (typed === undefined) return [];
  return commands.filter((command) => command.name.startsWith(typed));
}
