import { RobotaError } from "../../errors.ts";
import type { ToolErrorCode } from "../../messages/tool-error-code.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../../tools/tool.ts";
import type { AgentToolOptions } from "../agents/agent-tool.ts";
import type { Skill } from "./skill.ts";
import { asTyped, skillText } from "./skill-text.ts";
import type { Skills } from "./skills-in-force.ts";

export const SKILL_TOOL = "Skill";

export type SkillArgs = {
  skill: string;
  args?: string;
  file?: string;
};

export interface SkillToolOptions extends AgentToolOptions {
  skills: Skills;
}

/** Brings a skill's instructions into the conversation, or has an agent carry them out where the skill says so. */
export function createSkillTool(options: SkillToolOptions): Tool {
  const { skills } = options;
  return defineTool<SkillArgs>({
    name: SKILL_TOOL,
    description:
      "Loads a skill: instructions for some kind of work, which you then follow. Load one when it fits what was asked, once, before you begin. With file, reads that file of the skill instead.",
    parameters: {
      type: "object",
      properties: {
        skill: { type: "string", minLength: 1, description: "Name of the skill" },
        args: { type: "string", description: "Its arguments, as a person would type them" },
        file: {
          type: "string",
          minLength: 1,
          description: "A file of the skill, relative to its folder: references/forms.md",
        },
      },
      required: ["skill"],
      additionalProperties: false,
    },
    access: "none",
    // Its rules let further calls through: that takes a person's yes, or a person's own beginning of the turn with it.
    accessOf: ({ skill: name, file }, isSkillUsed) => {
      const skill = file === undefined ? skills.get(String(name)) : undefined;
      return skill && skill.allowedTools.length > 0 && !isSkillUsed(skill.name)
        ? "privilege"
        : undefined;
    },
    startsAgents: [...skills.values()].some(({ fork }) => fork !== undefined),
    patternArgument: "skill",
    preview: async ({ skill: name, file }) => {
      const rules = skills.get(name)?.allowedTools ?? [];
      if (file !== undefined || rules.length === 0) return undefined;
      return {
        note: `Until the turn ends, calls that match ${rules.join(", ")} need no approval.`,
      };
    },
    execute: async (args, context) => {
      const skill = skills.get(args.skill);
      if (!skill) return unknownSkill(args.skill, skills);
      const { skills: turn } = context;
      if (!skill.isModelInvocable && !turn?.isUsed(skill.name)) return onlyForPeople(skill);
      if (args.file !== undefined) return resourceOf(skill, args.file, context);
      const typed = args.args ?? "";
      if (skill.fork && !turn) return notInAgents(skill);
      if (turn && !turn.isUsed(skill.name)) await turn.use(skill.name, asTyped(skill, typed));
      if (!skill.fork)
        return { success: true, output: skillText(skill, typed), data: facts(skill) };
      const { runSkill } = await import("./run-skill.ts");
      return runSkill(skill, typed, context, options);
    },
  });
}

function facts({ name, source }: Skill): { skillName: string; source: string } {
  return { skillName: name, source };
}

async function resourceOf(
  skill: Skill,
  name: string,
  { platform }: ToolContext,
): Promise<ToolResult> {
  try {
    const { readResource } = await import("./read-resource.ts");
    const output = await readResource(skill, name, platform.fs);
    return { success: true, output, data: facts(skill) };
  } catch (error) {
    if (!(error instanceof RobotaError)) throw error;
    return { success: false, output: `${error.message}. ${error.hint}`, errorCode: error.code };
  }
}

async function unknownSkill(name: string, skills: Skills): Promise<ToolResult> {
  const { nameHint } = await import("../../messages/near-names.ts");
  const known = [...skills.values()].filter(({ isModelInvocable }) => isModelInvocable);
  const hint = nameHint(
    name,
    known.map((skill) => skill.name),
  );
  return failed("unknown_skill", `There is no skill "${name}". ${hint}`);
}

function onlyForPeople({ name }: Skill): ToolResult {
  const output = `Only a person can use the skill ${name}, as /${name}. Tell the person when it would help.`;
  return failed("not_invocable", output);
}

function notInAgents({ name }: Skill): ToolResult {
  const output = `The skill ${name} runs in an agent, and an agent can't start another one. Report that to the session that started you.`;
  return failed("not_invocable", output);
}

function failed(errorCode: ToolErrorCode, output: string): ToolResult {
  return { success: false, output, errorCode };
}
