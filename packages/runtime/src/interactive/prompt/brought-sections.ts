import type { LoadedSettings } from "../settings/load-settings.ts";
import type { BroughtSection, OmittedSection } from "./prompt-section.ts";

/** The sections from files, in the order of the prompt, and those that are known and not in it. */
export interface BroughtSections {
  sections: readonly BroughtSection[];
  omitted: readonly OmittedSection[];
}

/** Gathers the sections that files in force give: instructions, and whatever else a project or a person brings. */
export async function broughtSections(
  { instructions }: Pick<LoadedSettings, "instructions">,
  skills: BroughtSections = { sections: [], omitted: [] },
): Promise<BroughtSections> {
  // Most sessions have none, and then skip loading the code for them.
  if (instructions.length === 0) return skills;
  const { instructionSections } = await import("../instructions/instruction-sections.ts");
  const { sections, omitted } = instructionSections(instructions);
  return {
    sections: [...skills.sections, ...sections],
    omitted: [...skills.omitted, ...omitted],
  };
}
