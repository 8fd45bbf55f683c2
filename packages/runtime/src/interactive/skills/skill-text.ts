import { withArguments } from "./arguments.ts";
import type { Skill } from "./skill.ts";

/** The instructions of a skill with its arguments, for the model, and where its other files are. */
export function skillText(skill: Skill, args: string): string {
  const { name, source, directory, files } = skill;
  const place =
    directory === undefined || files
      ? []
      : [`Its other files are in ${directory}: names in the instructions are relative to that.`];
  return [
    [`Instructions of the skill ${name}, from ${source}.`, ...place].join(" "),
    withArguments(skill.body, args),
  ].join("\n\n");
}

/** The use of a skill as a person types it. */
export function asTyped({ name }: Pick<Skill, "name">, args: string): string {
  return args.trim() === "" ? `/${name}` : `/${name} ${args.trim()}`;
}
