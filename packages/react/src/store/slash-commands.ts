/** A slash command of a session. */
export interface SlashCommand {
  name: string;
  description: string;
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
