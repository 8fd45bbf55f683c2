import { ConfigurationError } from "../../errors.ts";
import { nameHint } from "../../messages/near-names.ts";
import type { HookAgents } from "../../session/options.ts";
import type { ProjectInstructions } from "../instructions/project-instructions.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { findAgent } from "./agents-in-force.ts";
import { subagentOptions } from "./subagent-options.ts";

/**
 * The agents that hooks can name: each with the prompt, tools and model of its definition, and the project's
 * instructions.
 * @throws {ConfigurationError} for an unknown name
 */
export function hookAgents(
  agents: ReadonlyMap<string, AgentDefinition>,
  { claudeMd = "", agentsMd = "" }: ProjectInstructions,
): HookAgents {
  return (name, options) => {
    const definition = findAgent(agents, name);
    if (!definition)
      throw new ConfigurationError(`There is no agent "${name}"`, {
        hint: nameHint(name, agents.keys()),
      });
    // A hook wants a verdict, where other agents report.
    const parts = [definition.systemPrompt, claudeMd, agentsMd];
    const systemMessage = parts.filter((part) => part.trim() !== "").join("\n\n");
    return { ...subagentOptions({ ...options, definition }), systemMessage };
  };
}
