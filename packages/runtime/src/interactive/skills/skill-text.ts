import { withArguments } from "./arguments.ts";
import type { Skill } from "./skill.ts";

/** Limit for the file names listed for the model. */
const MAX_NAMES = 100;

/** The instructions of a skill with its arguments, for the model, and where its other files are. */
export function skillText(skill: Skill, args: string): string {
  const { name, source } = skill;
  const head = [`Instructions of the skill ${name}, from ${source}.`, ...placeOf(skill)];
  return [head.join(" "), withArguments(skill.body, args)].join("\n\n");
}

function placeOf({ directory, fileNames }: Skill): string[] {
  if (fileNames) {
    const named = fileNames.slice(0, MAX_NAMES).join(", ");
    const more = fileNames.length > MAX_NAMES ? ", …" : "";
    return named === "" ? [] : [`Read its other files by naming them as file: ${named}${more}.`];
  }
  if (directory === undefined) return [];
  return [`Its other files are in ${directory}: names in the instructions are relative to that.`];
}

/** The use of a skill as a person types it. */
export function asTyped({ name }: Pick<Skill, "name">, args: string): string {
  return args.trim() === "" ? `/${name}` : `/${name} ${args.trim()}`;
}
