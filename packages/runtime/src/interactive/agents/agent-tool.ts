import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { AGENT } from "../../permissions/rules/tool-names.ts";
import type { Platform } from "../../ports/platform.ts";
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
  run_in_background?: boolean;
  isolation?: "overlay";
};

export interface AgentToolOptions {
  agents: ReadonlyMap<string, AgentDefinition>;
  /** Project instructions for agents. */
  instructions: ProjectInstructions;
  delegate: ConfigureContext["delegate"];
  randomUUID: () => string;
  /** The tools of every session, for one on these files. */
  ownTools: (platform: Platform, cwd: string) => Tool[];
  /** Levels of agents below the owner of this tool: with 1, an agent starts no agents. */
  levels: number;
  /** False for an agent's own agents: nothing outlives its report. */
  mayRunInBackground: boolean;
  /** Makes the tool of an agent that may start agents itself: `createAgentTool`. */
  createTool: (options: AgentToolOptions) => Tool;
}

const BACKGROUND = {
  run_in_background: {
    type: "boolean",
    description: "Return at once; collect the report later, by the agent's id",
  },
} as const;

/** Delegates a part of the work to an agent, in a session of its own. */
export function createAgentTool(parts: AgentToolOptions): Tool {
  const { agents, levels, mayRunInBackground } = parts;
  const list = [...agents.values()].map(({ name, description }) => `- ${name}: ${description}`);
  const nesting = levels > 1 ? "" : ", nor start agents of its own";
  return defineTool<AgentArgs>({
    name: AGENT,
    description: [
      `Delegates a task to an agent and returns its report. The agent does not know this conversation: include everything it needs. It can't ask questions${nesting}. Calls in one message run concurrently.`,
      "A prompt that mentions @agent-NAME asks for the agent of that name. Agents:",
      ...list,
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "The task, and what to report" },
        subagent_type: {
          type: "string",
          description: `Name of the agent; ${GENERAL_PURPOSE} when left out`,
        },
        model: { type: "string", description: "opus, sonnet, haiku, or an id; rarely needed" },
        description: { type: "string", description: "The task in three to five words" },
        ...(mayRunInBackground && BACKGROUND),
        isolation: {
          enum: ["overlay"],
          description:
            "It works on a copy of the files; a person decides whether to keep its changes",
        },
      },
      required: ["prompt"],
      additionalProperties: false,
    },
    // Starting it changes nothing yet: its calls are judged one by one, by this session's rules.
    access: "none",
    startsAgents: true,
    idempotent: ({ subagent_type: type, run_in_background: isBackground }) =>
      !isBackground && findAgent(agents, String(type))?.access === "read-only",
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
