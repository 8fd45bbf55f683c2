/** A slash command of a session. */
export interface SlashCommand {
  name: string;
  description: string;
}

/** The name and the arguments of `/name arguments`; `undefined` for any other text, also for a path. */
export function parseCommand(text: string): { name: string; args: string } | undefined {
  const [, name, args = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args };
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
