import { ConfigurationError, requireArgument } from "../../errors.ts";
import { type AgentDefinition, BUILT_IN_AGENTS } from "./agent-definition.ts";
import type { AgentFile } from "./agent-files.ts";

/** @throws {ConfigurationError | ValidationError} for a restriction of another form, which would not be in force */
function requireRestrictions({ name, ...agent }: AgentDefinition): void {
  requireArgument(`tools of the agent ${name}`, agent.tools ?? [], "array");
  requireArgument(`disallowedTools of the agent ${name}`, agent.disallowedTools ?? [], "array");
  requireWord(name, "access", agent.access ?? "read-only", "read-only");
  requireWord(name, "isolation", agent.isolation ?? "overlay", "overlay");
}

function requireWord(agent: string, option: string, given: string, only: string): void {
  if (given === only) return;
  throw new ConfigurationError(`The agent ${agent} has the ${option} ${JSON.stringify(given)}`, {
    hint: `Write ${option}: "${only}", or leave it out.`,
  });
}

/** Prefix of a project agent's name: it can't be mistaken for one of the person's or of Robota's own. */
const PROJECT = "project:";

/** Rules for agents of one name from several places. */
export interface AgentsInForceOptions {
  /** The caller's own; they replace all others of their names. */
  given?: readonly AgentDefinition[] | undefined;
  projectMayReplace?: boolean;
}

/**
 * The agents by name: Robota's own, which a person's own files may replace; and those of a project under prefixed
 * names, or, with the person's consent, in place of both. Of several files with the same name, the first counts.
 */
export function agentsInForce(
  files: readonly AgentFile[],
  { given = [], projectMayReplace = false }: AgentsInForceOptions = {},
): ReadonlyMap<string, AgentDefinition> {
  const agents = new Map(BUILT_IN_AGENTS.map((agent) => [agent.name, agent]));
  const taken = new Set<string>();
  for (const { definition, scope } of files) {
    if (!definition) continue;
    const isApart = scope === "project" && !projectMayReplace;
    const name = isApart ? `${PROJECT}${definition.name}` : definition.name;
    if (taken.has(name)) continue;
    taken.add(name);
    agents.set(name, { ...definition, name });
  }
  for (const definition of given) {
    requireRestrictions(definition);
    agents.set(definition.name, definition);
  }
  return agents;
}

/** An agent by its name; a project's also by the name that its file has, where no other agent has that. */
export function findAgent(
  agents: ReadonlyMap<string, AgentDefinition>,
  name: string,
): AgentDefinition | undefined {
  return agents.get(name) ?? agents.get(`${PROJECT}${name}`);
}

/** Reports whether two searches found the same agents. */
export function isSameAgents(some: readonly AgentFile[], others: readonly AgentFile[]): boolean {
  return (
    some.length === others.length &&
    some.every((file, at) => JSON.stringify(file) === JSON.stringify(others[at]))
  );
}
