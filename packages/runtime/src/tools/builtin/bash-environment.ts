import type { ShellResult } from "../../ports/shell.ts";
import { sessionState } from "../session-state.ts";
import type { ToolContext } from "../tool.ts";

const MAX_CHARACTERS = 65_536;

/** Variables exported by earlier commands of the session. Kept in memory only: values may be secrets. */
export function startEnvironment(context: Pick<ToolContext, "state">): Record<string, string> {
  return Object.fromEntries(exportedBy(context));
}

/** Remembers the exports and unsets of a command. Returns a note about those that could not be kept. */
export function followEnvironment(
  context: Pick<ToolContext, "state">,
  changed: ShellResult["env"] = {},
): string[] {
  const exported = exportedBy(context);
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) exported.delete(name);
    else if (sizeOf(exported) + name.length + value.length > MAX_CHARACTERS) dropped.push(name);
    else exported.set(name, value);
  }
  if (dropped.length === 0) return [];
  return [`(Too large to be exported to the next command: ${dropped.slice(0, 10).join(", ")}.)`];
}

function exportedBy(context: Pick<ToolContext, "state">): Map<string, string> {
  return sessionState(context, "bashEnvironment", () => new Map<string, string>());
}

function sizeOf(exported: ReadonlyMap<string, string>): number {
  let size = 0;
  for (const [name, value] of exported) size += name.length + value.length;
  return size;
}
