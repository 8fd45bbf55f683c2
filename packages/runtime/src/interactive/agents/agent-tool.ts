import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import { defineTool, type Tool } from "../../tools/tool.ts";
import type { ProjectInstructions } from "../instructions/project-instructions.ts";
import { type AgentDefinition, GENERAL_PURPOSE } from "./agent-definition.ts";
import { findAgent } from "./agents-in-force.ts";

export type AgentArgs = {
  prompt: string;
  subagent_type?: string;
  model?: string;
  description?: string;
};

export interface AgentToolOptions {
  agents: ReadonlyMap<string, AgentDefinition>;
  /** Project instructions for agents. */
  instructions: ProjectInstructions;
  delegate: ConfigureContext["delegate"];
  randomUUID: () => string;
}

/** Delegates a part of the work to an agent, in a session of its own. */
export function createAgentTool({ agents, ...parts }: AgentToolOptions): Tool {
  const list = [...agents.values()].map(({ name, description }) => `- ${name}: ${description}`);
  return defineTool<AgentArgs>({
    name: "Agent",
    description: [
      "Has an agent do a part of the work and gives back its report. It knows nothing of this conversation: say all that it needs. It can't ask anything, nor start agents of its own. Calls in one message run at the same time.",
      "Agents:",
      ...list,
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What to do, and what to report" },
        subagent_type: {
          type: "string",
          description: `Name of the agent; ${GENERAL_PURPOSE} when left out`,
        },
        model: { type: "string", description: "opus, sonnet, haiku, or an id; rarely needed" },
        description: { type: "string", description: "The work in three to five words" },
      },
      required: ["prompt"],
      additionalProperties: false,
    },
    // Starting it changes nothing yet: its calls are judged one by one, by this session's rules.
    access: "none",
    startsAgents: true,
    patternArgument: "subagent_type",
    execute: async (args, context) => {
      const { subagent_type: type = GENERAL_PURPOSE } = args;
      const definition = findAgent(agents, type);
      if (definition) {
        const { runAgent } = await import("./run-agent.ts");
        return runAgent(definition, args, context, parts);
      }
      const { nameHint } = await import("../../messages/near-names.ts");
      return {
        success: false,
        output: `There is no agent "${type}". ${nameHint(type, agents.keys())}`,
        errorCode: "unknown_agent" satisfies ToolErrorCode,
      };
    },
  });
}
