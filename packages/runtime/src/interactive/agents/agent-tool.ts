import { RobotaError } from "../../errors.ts";
import { nameHint } from "../../messages/near-names.ts";
import { AGENT_TOOL } from "../../session/agent-tool-name.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import type { Session } from "../../session/session.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../tools/tool.ts";
import { type AgentDefinition, GENERAL_PURPOSE } from "./agent-definition.ts";
import { findAgent } from "./agents-in-force.ts";
import { subagentOptions } from "./subagent-options.ts";

type AgentArgs = { prompt: string; subagent_type?: string; model?: string; description?: string };

/** Hooks that want an agent to go on are heard so often. */
const MOST_CONTINUATIONS = 3;

export interface AgentToolOptions {
  agents: ReadonlyMap<string, AgentDefinition>;
  delegate: ConfigureContext["delegate"];
  randomUUID: () => string;
}

/** Has an agent do a part of the work, in a session of its own. */
export function createAgentTool({ agents, delegate, randomUUID }: AgentToolOptions): Tool {
  const list = [...agents.values()].map(({ name, description }) => `- ${name}: ${description}`);
  return defineTool<AgentArgs>({
    name: AGENT_TOOL,
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
    // Starting it changes nothing yet: what it does then is judged call by call, by this session's rules.
    access: "none",
    patternArgument: "subagent_type",
    execute: async (args, context) => {
      const { subagent_type: type = GENERAL_PURPOSE } = args;
      const definition = findAgent(agents, type);
      if (definition) return runAgent(definition, args, context, { delegate, randomUUID });
      return {
        success: false,
        output: `There is no agent "${type}". ${nameHint(type, agents.keys())}`,
        errorCode: "unknown_agent",
      };
    },
  });
}

async function runAgent(
  definition: AgentDefinition,
  { prompt, model }: AgentArgs,
  context: ToolContext,
  { delegate, randomUUID }: Pick<AgentToolOptions, "delegate" | "randomUUID">,
): Promise<ToolResult> {
  const agent = { id: randomUUID(), type: definition.name };
  const { options, tell, open } = await delegate(context, agent);
  const begun = await tell("SubagentStart", {});
  await using session = open(
    subagentOptions({ ...options, definition, ...(model !== undefined && { model }) }),
  );
  session.subscribe((event) => {
    if (event.type === "tool_start") context.emit({ text: `${event.tool} ${event.firstArg}\n` });
  });
  let input = begun?.additionalContext ? `${prompt}\n\n${begun.additionalContext}` : prompt;
  for (let round = 0; ; round++) {
    const result = await turnOf(session, input, context.signal);
    const said = await tell("SubagentStop", {
      stop_hook_active: round > 0,
      ...(typeof result.output === "string" && { last_assistant_message: result.output }),
    });
    const goesOn = said?.blocked && round < MOST_CONTINUATIONS && result.success;
    if (!goesOn) return { ...result, data: { agentId: agent.id, agentType: agent.type } };
    input = said.reason ?? "Go on.";
  }
}

async function turnOf(session: Session, input: string, signal: AbortSignal): Promise<ToolResult> {
  const { state, response, error } = await session.runTurn({ input, signal });
  if (state === "interrupted") signal.throwIfAborted();
  if (state === "complete" && response !== "") return { success: true, output: response };
  const why = error instanceof RobotaError ? error.message : "It gave no answer.";
  const soFar = response === "" ? "" : `\n\nIts words so far:\n${response}`;
  return {
    success: false,
    output: `The agent did not finish: ${why}${soFar}`,
    errorCode: error instanceof RobotaError ? error.code : "agent_failed",
  };
}
