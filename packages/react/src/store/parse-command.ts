/** The name and the arguments of `/name arguments`; `undefined` for any other text, also for a path. */
export function parseCommand(text: string): { name: string; args: string } | undefined {
  const [, name, args = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args };
}
