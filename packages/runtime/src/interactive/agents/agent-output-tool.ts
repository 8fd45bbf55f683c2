import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import { defineTool, type Tool } from "../../tools/tool.ts";

type AgentOutputArgs = { agent_id: string; wait?: boolean };

/** Creates the tool that returns the report of a background agent. */
export function createAgentOutputTool({ collect }: Pick<ConfigureContext, "collect">): Tool {
  return defineTool<AgentOutputArgs>({
    name: "AgentOutput",
    description: "Returns the report of a background agent, and waits for it if necessary.",
    parameters: {
      type: "object",
      properties: {
        agent_id: { type: "string", minLength: 1, description: "The agent's id" },
        wait: { type: "boolean", description: "false: do not wait for a running agent" },
      },
      required: ["agent_id"],
      additionalProperties: false,
    },
    access: "none",
    // An agent's report is as untrusted as the result of the call that started it, and no agent collects another's.
    startsAgents: true,
    idempotent: true,
    execute: async ({ agent_id: id, wait = true }, { signal }) => {
      const collected = await collect(id, { waits: wait, signal });
      if (collected?.result) return { ...collected.result, data: { agentId: id } };
      if (collected) return { success: true, output: "It still runs.", data: { agentId: id } };
      return {
        success: false,
        output: `No agent ${JSON.stringify(id)} was started in the background.`,
        errorCode: "unknown_agent" satisfies ToolErrorCode,
      };
    },
  });
}
