import { declared, isAgentStarter } from "../../permissions/rules/tool-facts.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import { withOptions } from "../../providers/with-model.ts";
import type { SessionOptions } from "../../session/options.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { readOnlyBash, type ReadOnlyBashOptions } from "./read-only-bash.ts";
import { withWantedModel } from "./model-choice.ts";
import type { ProjectInstructions } from "../instructions/project-instructions.ts";
import { subagentPrompt } from "./subagent-prompt.ts";

/** Bounds an agent that keeps calling tools. */
const MAX_TURNS = 100;
/** Access of the tools that a read-only agent may have. */
const READ_ONLY_ACCESS = new Set<unknown>(["none", "read", "network"]);

export interface SubagentSessionOptions extends Omit<SessionOptions, "systemMessage"> {
  definition: AgentDefinition;
  /** Counts before the definition's; an id, or a short name. */
  model?: string | undefined;
  effort?: ReasoningEffort | undefined;
  /** The parent session's knowledge of its project. */
  context?: ProjectInstructions | undefined;
  /** True for a skill's work, whose answer is limited to 500 words. */
  isForkWorker?: boolean | undefined;
  /** For the agent, at the end of its system prompt. */
  notice?: string | undefined;
}

/** The options of an agent's session: of the given ones, no more than its definition permits. */
export function subagentOptions(options: SubagentSessionOptions): SessionOptions {
  const {
    definition,
    model,
    effort,
    context = {},
    isForkWorker = false,
    notice,
    ...rest
  } = options;
  const { systemPrompt, access } = definition;
  const { cwd = "/", platform } = rest;
  const where = {
    cwd,
    roots: rest.roots ?? [cwd],
    home: platform?.home,
  };
  const provider = withWantedModel(rest.provider, model ?? definition.model);
  const tools = toolsFor(definition, rest.tools);
  const maxTurns = Math.min(definition.maxTurns || MAX_TURNS, rest.maxTurns || MAX_TURNS);
  return {
    ...rest,
    provider:
      effort === undefined
        ? provider
        : withOptions(provider, (given) => ({ ...given, effort: given.effort ?? effort })),
    tools: access === "read-only" ? tools.map((tool) => readOnlyTool(tool, where)) : tools,
    systemMessage: [
      subagentPrompt({ agentBody: systemPrompt, ...context, isForkWorker }),
      ...(notice === undefined ? [] : [notice]),
    ].join("\n\n"),
    maxTurns,
  };
}

/** The permitted tools without the disallowed ones, and never the one that starts agents. */
function toolsFor(
  { tools: allowed, disallowedTools = [], access }: AgentDefinition,
  tools: readonly Tool[] = [],
): Tool[] {
  return tools
    .filter(({ name }) => !disallowedTools.includes(name))
    .filter(({ name }) => allowed?.includes(name) ?? true)
    .filter((tool) => !isAgentStarter(tool))
    .filter((tool) => access !== "read-only" || isShell(tool) || READ_ONLY_ACCESS.has(tool.access));
}

function readOnlyTool(tool: Tool, where: ReadOnlyBashOptions): Tool {
  return isShell(tool) ? readOnlyBash(tool, where) : tool;
}

function isShell(tool: Tool): boolean {
  return declared(tool).patternKind === "command";
}
