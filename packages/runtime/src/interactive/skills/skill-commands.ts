import { defined } from "../../defined.ts";
import type { Command, CommandPrompt } from "../commands/command.ts";
import type { Skill } from "./skill.ts";
import { asTyped, skillText } from "./skill-text.ts";
import { SKILL_TOOL } from "./skill-tool.ts";
import type { Skills } from "./skills-in-force.ts";

/** The skills that a person can use, as commands. */
export function skillCommands(skills: Skills): Command[] {
  return [...skills.values()]
    .filter(({ isUserInvocable }) => isUserInvocable)
    .map((skill) => ({
      name: skill.name,
      description: skill.description,
      source: "skill",
      argumentHint: skill.argumentHint,
      // A turn that begins with the skill may make the calls its rules allow.
      scope: skill.allowedTools.length > 0 ? "privilege" : "write",
      prompt: (args) => promptOf(skill, args),
    }));
}

function promptOf(skill: Skill, args: string): CommandPrompt {
  return {
    text: skill.fork ? delegation(skill, args) : skillText(skill, args),
    displayInput: asTyped(skill, args),
    skillName: skill.name,
    allowedTools: skill.allowedTools,
  };
}

/** The session's model starts the agent, as with every agent: its call, its events and its answer are on record. */
function delegation({ name }: Skill, args: string): string {
  const call = defined({ skill: name, args: args.trim() || undefined });
  return `Call the tool ${SKILL_TOOL} with ${JSON.stringify(call)}, and give its answer.`;
}
