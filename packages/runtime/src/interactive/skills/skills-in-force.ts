import type { Skill, SkillFile } from "./skill.ts";

/** Skills by name, in order of precedence: of several with the same name, the first counts. */
export type Skills = ReadonlyMap<string, Skill>;

export function skillsInForce(files: readonly SkillFile[]): Skills {
  const skills = new Map<string, Skill>();
  for (const { skill } of files)
    if (skill && !skills.has(skill.name)) skills.set(skill.name, skill);
  return skills;
}

/** The files whose skill another one of its name hides, with the reason; copies of that one need none. */
export function hiddenSkills(files: readonly SkillFile[]): { name: string; problem: string }[] {
  const inForce = skillsInForce(files);
  return files.flatMap(({ name, skill }) => {
    const other = skill && inForce.get(skill.name);
    if (!other || other === skill || other.body === skill.body) return [];
    return [
      { name, problem: `is not in force: ${other.source} has the name ${skill.name} before it` },
    ];
  });
}
