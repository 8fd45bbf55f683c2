import { defined } from "../../defined.ts";
import type { CommandHook, HookDefinition } from "../../hooks/definition.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { OperationTool } from "../../tools/openapi/openapi-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import type { LoadedBundlePlugin } from "./bundle.ts";
import { withRoot } from "./bundle-root.ts";

/** The kinds of things that a bundle brings into a session, in the order in which people are shown them. */
const KINDS = [
  "hook",
  "tool",
  "mcp-server",
  "allow",
  "ask",
  "deny",
  "agent",
  "prompt",
  "skill",
  "command",
] as const;

export type BundleGrantKind = (typeof KINDS)[number];

/** A capability that a bundle brings into a session. */
export interface BundleGrant {
  kind: BundleGrantKind;
  /** Its name: of a tool, server, agent, skill or command; a hook's event; a rule. */
  name: string;
  /** Its complete content, with invisible characters escaped. */
  detail: string;
}

const TITLES: Record<BundleGrantKind, string> = {
  hook: "Hook",
  tool: "Tool",
  "mcp-server": "MCP server",
  allow: "Allows without asking",
  ask: "Always asks before",
  deny: "Forbids",
  agent: "Subagent",
  prompt: "Instructions for the model",
  skill: "Skill",
  command: "Command",
};

/** Characters of one content in words; the whole of it is in the data. */
const MAX_TEXT = 1000;

/** Everything that a bundle brings into a session. */
export function grantsOf(bundle: LoadedBundlePlugin): BundleGrant[] {
  const { hooks = {}, tools = [], mcpServers = {}, permissions = {}, agents = [] } = bundle;
  const { systemPrompt, skills = [], commands = [], directory } = bundle;
  const grants: BundleGrant[] = [];
  const add = (kind: BundleGrantKind, name: string, detail: unknown): void => {
    const text = typeof detail === "string" ? detail : (JSON.stringify(detail) ?? "");
    // The installation's directory is not part of its effect.
    const placed = text.replaceAll(directory, "${PLUGIN_ROOT}");
    grants.push({
      kind,
      name: visibleText(name, { singleLine: true }),
      detail: visibleText(placed),
    });
  };
  for (const [event, groups] of Object.entries(hooks))
    for (const { matcher = "", hooks: all } of groups)
      for (const hook of all)
        add(
          "hook",
          event,
          defined({ matcher: matcher || undefined, ...asWritten(hook, directory) }),
        );
  for (const tool of tools) {
    const { name, description, parameters, access } = tool;
    const command = "command" in tool ? tool.command : undefined;
    const request = isOperation(tool) ? `${tool.method} ${tool.path}` : undefined;
    add("tool", name, { command, request, access, description, parameters });
  }
  for (const [name, server] of Object.entries(mcpServers)) add("mcp-server", name, server);
  for (const kind of ["allow", "ask", "deny"] as const)
    for (const rule of permissions[kind] ?? []) add(kind, rule, rule);
  for (const agent of agents) add("agent", agent.name, agent);
  if (systemPrompt !== undefined) add("prompt", bundle.manifest.name, systemPrompt);
  for (const { name, fields, text } of skills) add("skill", name, { ...fields, text });
  for (const { name, fields, text } of commands) add("command", name, { ...fields, text });
  return grants;
}

/** Told by its fields: the class itself would load with every session. */
function isOperation(tool: Tool): tool is OperationTool {
  return "method" in tool && "path" in tool;
}

/** A hook without the line that sets its bundle's directory. */
function asWritten(hook: HookDefinition, directory: string): HookDefinition {
  if (hook.type !== "command") return hook;
  const { command } = hook as CommandHook;
  const start = withRoot("", directory);
  return command.startsWith(start) ? { ...hook, command: command.slice(start.length) } : hook;
}

/** A grant in words: its kind, its name and, where the name does not say it all, its content. */
export function grantText({ kind, name, detail }: BundleGrant): string {
  const text = detail === name ? "" : `: ${detail}`;
  const isLong = text.length > MAX_TEXT;
  const rest = isLong ? `… (${text.length - MAX_TEXT} more characters)` : "";
  return `${TITLES[kind]} ${name}${text.slice(0, MAX_TEXT)}${rest}`;
}

/** Compares two grants by what people are shown first. */
export function byKind(one: BundleGrant, other: BundleGrant): number {
  return KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);
}
