import type { HookFunctionAnswer, HooksConfig } from "../../hooks/definition.ts";
import { SKILL_TOOL } from "./skill-tool.ts";
import type { Skill } from "./skill.ts";
import type { Skills } from "./skills-in-force.ts";
import { skillsSection } from "./skills-section.ts";

/**
 * Hooks that tell the model, with the next prompt, which skills have come, changed or gone since its system prompt was
 * written, which stays as it was recorded.
 */
export function skillChangeHooks(before: Skills, now: Skills, contextWindow: number): HooksConfig {
  const isNews = (skill: Skill): boolean => {
    const former = before.get(skill.name);
    return former?.description !== skill.description || former.body !== skill.body;
  };
  const come = new Map([...now].filter(([, skill]) => isNews(skill)));
  const gone = [...before.values()].filter(
    ({ name, isModelInvocable }) => isModelInvocable && !now.get(name)?.isModelInvocable,
  );
  const list = skillsSection(come, { tool: SKILL_TOOL, contextWindow });
  const notes = [
    ...(list ? [`Skills that have come or changed, from now on:\n\n${list.text}`] : []),
    ...(gone.length > 0
      ? [
          `Skills that are gone, and do not hold any more: ${gone.map(({ name }) => name).join(", ")}`,
        ]
      : []),
  ];
  if (notes.length === 0) return {};
  const additionalContext = notes.join("\n\n");
  let isTold = false;
  const tell = (): HookFunctionAnswer => {
    if (isTold) return undefined;
    isTold = true;
    return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext } };
  };
  return { UserPromptSubmit: [{ hooks: [{ type: "function", name: "skills", run: tell }] }] };
}
