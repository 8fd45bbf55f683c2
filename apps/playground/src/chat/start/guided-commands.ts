/** The title and the commands of a card's prompt, as `start` shows it; nothing for any other prompt. */
export function guidedCommands(prompt: string): { title: string; commands: string } | undefined {
  const [, title, commands] = /^([A-Z][^\n]{3,40})\n\n([\s\S]+)$/.exec(prompt) ?? [];
  return title && commands ? { title, commands } : undefined;
}
