import type { PatternKind, Tool, ToolAccess } from "../../tools/tool.ts";
import type { PermissionPattern } from "./parse-pattern.ts";
import { wildcard } from "./wildcard.ts";

// The only place of the permissions that knows built-in tools by name: people write these names in rules.

interface NamedTool {
  access: ToolAccess;
  argument: string;
  kind?: PatternKind;
}

interface NamedFacts {
  readonly name: string;
  readonly access?: ToolAccess | undefined;
  readonly patternArgument?: string | undefined;
  readonly patternKind?: PatternKind | undefined;
}

/** The facts that each built-in tool declares, for rules and calls that are judged without the tool. */
const NAMED: Readonly<Record<string, NamedTool>> = {
  Read: { access: "read", argument: "filePath", kind: "path" },
  Glob: { access: "read", argument: "pattern", kind: "glob" },
  Grep: { access: "read", argument: "pattern", kind: "search" },
  Write: { access: "write", argument: "filePath", kind: "path" },
  Edit: { access: "write", argument: "filePath", kind: "path" },
  Bash: { access: "execute", argument: "command", kind: "command" },
  WebFetch: { access: "network", argument: "url", kind: "address" },
  WebSearch: { access: "network", argument: "query", kind: "query" },
};

/** The built-in tools that modes decide about. */
export const NAMED_TOOLS: readonly string[] = Object.keys(NAMED);
const AGENT = "Agent";
/** The same, and the one that asks an agent. */
export const BUILT_IN_TOOLS: readonly string[] = [...NAMED_TOOLS, AGENT];

/** Rules that speak of reading any file, whatever reads it. */
export const READING = "Read";
/** Rules that speak of changing any file. */
export const WRITING: readonly string[] = ["Write", "Edit"];
const COMMANDS = "Bash";
/** Rules that speak of addresses, whatever fetches them. */
export const ADDRESSES = "WebFetch";
/** Rules that a provider's own search of the web is under, too. */
export const WEB_SEARCH = "WebSearch";

/** The facts that a tool declares, completed by those of the built-in tool of its name. */
export function declared(
  tool: NamedFacts,
): Pick<Tool, "access" | "patternArgument" | "patternKind"> {
  const named = Object.hasOwn(NAMED, tool.name) ? NAMED[tool.name] : undefined;
  const access = tool.access ?? named?.access;
  const patternArgument = tool.patternArgument ?? named?.argument;
  const patternKind = tool.patternKind ?? named?.kind;
  return {
    ...(access && { access }),
    ...(patternArgument !== undefined && { patternArgument }),
    ...(patternKind && { patternKind }),
  };
}

/** Recognizes a tool that starts agents: no agent is given one, and answers of agents are untrusted. */
export function isAgentStarter({
  name,
  access,
  startsAgents = access === "agent" || name === AGENT,
}: Pick<Tool, "name" | "access" | "startsAgents">): boolean {
  return startsAgents;
}

export function isAboutReading({ tool }: PermissionPattern): boolean {
  return tool === READING;
}

export function isAboutWriting({ tool }: PermissionPattern): boolean {
  return WRITING.includes(tool);
}

export function isAboutCommands({ tool }: PermissionPattern): boolean {
  return wildcard(tool, COMMANDS);
}

export function isAboutAddresses({ tool }: PermissionPattern): boolean {
  return wildcard(tool, ADDRESSES);
}

/**
 * Applies a rule that forbids or asks to a tool: by its name, or, for a tool that is not built in, by the name of the
 * built-in one that does the same to files, commands or addresses.
 */
export function forbidsFor(
  pattern: PermissionPattern,
  tool: string,
  { access, patternKind }: Pick<Tool, "access" | "patternKind">,
): boolean {
  if (wildcard(pattern.tool, tool)) return true;
  if (BUILT_IN_TOOLS.includes(tool)) return false;
  if (patternKind === "command") return isAboutCommands(pattern);
  if (patternKind === "address") return isAboutAddresses(pattern);
  if (patternKind !== "path") return false;
  return access === "read" ? isAboutReading(pattern) : isAboutWriting(pattern);
}

/** The built-in tool that a name seems to mean, when only its letters' case is another. */
export function builtInMeant(tool: string): string | undefined {
  if (BUILT_IN_TOOLS.includes(tool)) return undefined;
  return BUILT_IN_TOOLS.find((name) => name.toLowerCase() === tool.toLowerCase());
}
