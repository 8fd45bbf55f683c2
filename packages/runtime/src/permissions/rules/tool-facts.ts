import type { PatternKind, Tool, ToolAccess } from "../../tools/tool.ts";
import type { PermissionPattern } from "./parse-pattern.ts";
import {
  ADDRESSES,
  AGENT,
  BUILT_IN_TOOLS,
  COMMANDS,
  NAMED_TOOLS,
  READING,
  WRITING,
} from "./tool-names.ts";
import { wildcard } from "./wildcard.ts";

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
const NAMED: Readonly<Record<(typeof NAMED_TOOLS)[number], NamedTool>> = {
  Read: { access: "read", argument: "filePath", kind: "path" },
  Glob: { access: "read", argument: "pattern", kind: "glob" },
  Grep: { access: "read", argument: "pattern", kind: "search" },
  Write: { access: "write", argument: "filePath", kind: "path" },
  Edit: { access: "write", argument: "filePath", kind: "path" },
  Bash: { access: "execute", argument: "command", kind: "command" },
  WebFetch: { access: "network", argument: "url", kind: "address" },
  WebSearch: { access: "network", argument: "query", kind: "query" },
};

/** The facts that a tool declares, completed by those of the built-in tool of its name. */
export function declared(
  tool: NamedFacts,
): Pick<Tool, "access" | "patternArgument" | "patternKind"> {
  const builtIn = NAMED_TOOLS.find((name) => name === tool.name);
  const named = builtIn && NAMED[builtIn];
  const access = tool.access ?? named?.access;
  const patternArgument = tool.patternArgument ?? named?.argument;
  const patternKind = tool.patternKind ?? named?.kind;
  return {
    access,
    patternArgument,
    patternKind,
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
