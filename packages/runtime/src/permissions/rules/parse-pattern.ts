/** `Tool` or `Tool(pattern)`, parsed. `*` in the tool's name stands for any characters. */
export interface PermissionPattern {
  tool: string;
  /** Absent for a bare tool name: any call of the tool. */
  argument?: string;
}

/** Returns `undefined` for a malformed rule. */
export function parsePattern(text: string): PermissionPattern | undefined {
  const match = /^([\w.:*-]+)(?:\((.*)\))?$/s.exec(text.trim());
  if (!match) return undefined;
  const [, tool = "", argument] = match;
  if (argument === undefined) return { tool };
  return argument.trim() === "" ? undefined : { tool, argument };
}

/** Reports whether a rule applies to all calls of its tool. */
export function isBroad({ argument }: PermissionPattern): boolean {
  return argument === undefined || argument === "*" || argument === "**";
}
