import { defined } from "../../defined.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { nameHint } from "../../messages/near-names.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import { GENERAL_PURPOSE } from "../agents/agent-definition.ts";
import type { AgentToolOptions } from "../agents/agent-tool.ts";
import { findAgent } from "../agents/agents-in-force.ts";
import { runAgent } from "../agents/run-agent.ts";
import type { Skill } from "./skill.ts";
import { skillText } from "./skill-text.ts";

/** Has an agent carry out a skill; the result is its answer of at most 500 words. */
export async function runSkill(
  skill: Skill,
  args: string,
  context: ToolContext,
  { agents, ...parts }: AgentToolOptions,
): Promise<ToolResult> {
  const type = skill.fork?.agent ?? GENERAL_PURPOSE;
  const definition = findAgent(agents, type);
  if (!definition) {
    const output = `The skill ${skill.name} names an agent that does not exist: "${type}". ${nameHint(type, agents.keys())}`;
    return { success: false, output, errorCode: "unknown_agent" satisfies ToolErrorCode };
  }
  const work = defined({
    prompt: skillText(skill, args),
    model: skill.model,
  });
  const { effort } = skill;
  return runAgent(definition, work, context, { ...parts, agents, isForkWorker: true, effort });
}
