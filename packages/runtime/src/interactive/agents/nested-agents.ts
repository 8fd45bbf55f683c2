import { AGENT } from "../../permissions/rules/tool-names.ts";
import type { SessionOptions } from "../../session/options.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentToolOptions } from "./agent-tool.ts";

/**
 * The tool by which an agent starts agents of its own, where the settings let them nest so deep and its definition has
 * it. They have no more than the agent has itself, and a read-only agent starts none, since their effects are unknown.
 */
export function nestedAgents(
  { tools, disallowedTools = [], access }: AgentDefinition,
  parts: AgentToolOptions,
): Pick<SessionOptions, "configure"> {
  const isDenied = disallowedTools.includes(AGENT) || tools?.includes(AGENT) === false;
  if (parts.levels <= 1 || isDenied || access === "read-only") return {};
  return {
    configure: async ({ delegate }) => {
      const levels = parts.levels - 1;
      return {
        tools: [parts.createTool({ ...parts, delegate, levels, mayRunInBackground: false })],
      };
    },
  };
}
