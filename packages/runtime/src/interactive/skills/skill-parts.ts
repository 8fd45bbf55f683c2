import { expandModel } from "../../context/model-names.ts";
import type { PermissionLayer } from "../../permissions/permission.ts";
import { READING } from "../../permissions/rules/tool-names.ts";
import type { Provider } from "../../providers/provider.ts";
import type { SessionOptions, SkillModel } from "../../session/options.ts";
import type { Tool } from "../../tools/tool.ts";
import { availableModel } from "../agents/model-choice.ts";
import type { AgentToolOptions } from "../agents/agent-tool.ts";
import { skillCommands } from "./skill-commands.ts";
import { createSkillTool, SKILL_TOOL } from "./skill-tool.ts";
import type { CommandSource } from "../commands/command.ts";
import type { BroughtSections } from "../prompt/brought-sections.ts";
import { SECTION_PRIORITY } from "../prompt/prompt-section.ts";
import type { Skill, SkillFile } from "./skill.ts";
import { type Skills, skillsInForce } from "./skills-in-force.ts";
import { skillsSection } from "./skills-section.ts";

/** A session's skills, with their section of its system prompt. */
export interface SkillParts extends BroughtSections {
  skills: Skills;
  /** Those that a person can use. */
  source: CommandSource;
  /** The tool for the session's model. */
  toolFor: (agents: AgentToolOptions) => Tool;
  /** The permission rules of a skill, by its name. */
  rules: (name: string) => readonly string[];
  /** The model and the effort of a skill, by its name. */
  modelOf: NonNullable<SessionOptions["skillModel"]>;
  /** Lets the files of skills at the home be read without a question. */
  readable: PermissionLayer;
}

/** The parts of a session that the usable skill files make up; `undefined` when none is usable. */
export function skillParts(
  files: readonly SkillFile[],
  contextWindow: number,
): SkillParts | undefined {
  const skills = skillsInForce(files);
  if (skills.size === 0) return undefined;
  const allow = [...skills.values()].flatMap(readRules);
  return {
    skills,
    source: { name: "skills", getCommands: () => skillCommands(skills) },
    toolFor: (agents) => createSkillTool({ ...agents, skills }),
    ...sectionsOf(skills, contextWindow),
    rules: (name) => skills.get(name)?.allowedTools ?? [],
    modelOf: (name, provider) => modelOf(skills.get(name), provider),
    readable: { name: "skills", lists: { allow } },
  };
}

function sectionsOf(skills: Skills, contextWindow: number): BroughtSections {
  const list = skillsSection(skills, { tool: SKILL_TOOL, contextWindow });
  if (!list) return { sections: [], omitted: [] };
  const { text, listed, leftOut } = list;
  const priority = SECTION_PRIORITY.skills;
  return {
    sections: [{ name: "skills", source: `${listed.length} skills`, text, priority }],
    omitted: leftOut.map(({ name, description }) => ({
      name: "skills",
      source: name,
      text: description,
      reason: "the list of skills is full",
    })),
  };
}

/** An agent that carries a skill out has its model; the session keeps its own. */
function modelOf(skill: Skill | undefined, provider: Provider): SkillModel | undefined {
  if (!skill || skill.fork) return undefined;
  const { model: wanted, effort } = skill;
  if (wanted === undefined) return { effort };
  const model = availableModel(provider, wanted);
  return model === undefined
    ? { effort, unavailableModel: expandModel(wanted) }
    : { model, effort };
}

/** Those of a workspace are in it, and read as all its files. */
function readRules({ source, directory }: Skill): string[] {
  const folder = source.slice(0, source.lastIndexOf("/"));
  return directory !== undefined && folder.startsWith("~/") ? [`${READING}(${folder}/**)`] : [];
}
