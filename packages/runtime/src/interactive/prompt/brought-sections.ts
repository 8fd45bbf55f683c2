import type { LoadedSettings } from "../settings/load-settings.ts";
import type { SettingsWarning } from "../settings/settings.ts";
import { INSTRUCTION_FILES } from "../instructions/instruction-names.ts";
import { type FittedSections, fitSections, promptBudget } from "./fit-sections.ts";
import type { BroughtSection, OmittedSection } from "./prompt-section.ts";

/** The sections from files, in the order of the prompt, and those that are known and not in it. */
export interface BroughtSections {
  sections: readonly BroughtSection[];
  omitted: readonly OmittedSection[];
}

/** Options of the sections, besides the files they come from. */
export interface BroughtOptions {
  /** Size of the model's window, in tokens. */
  contextWindow: number;
  skills?: BroughtSections | undefined;
}

/** The sections from files as they fit into the model's window, and the warnings of those that do not fit whole. */
export async function fitBroughtSections(
  loaded: LoadedSettings,
  { contextWindow, skills }: BroughtOptions,
): Promise<FittedSections & { warnings: SettingsWarning[] }> {
  const { sections, omitted } = await broughtSections(loaded, skills);
  const fitted = fitSections(sections, promptBudget(contextWindow), omitted);
  const cut = fitted.reports.slice(0, sections.length).filter(({ state }) => state !== "included");
  return {
    ...fitted,
    warnings: cut.map(({ section, source = "", tokens, wholeTokens, reason }) => ({
      layer: source,
      setting: isInstructions(section) ? "instructions" : section,
      message: `is in the prompt with ${tokens} of ${wholeTokens} tokens: ${reason}`,
    })),
  };
}

function isInstructions(section: string): boolean {
  return INSTRUCTION_FILES.some((kind) => kind === section);
}

/** Gathers the sections that files in force give: instructions, and other parts that a project or a person brings. */
async function broughtSections(
  {
    instructions,
    omittedInstructions,
    bundles,
  }: Pick<LoadedSettings, "instructions" | "omittedInstructions" | "bundles">,
  skills: BroughtSections = { sections: [], omitted: [] },
): Promise<BroughtSections> {
  const before = [...skills.sections, ...(await sectionsOf(bundles))];
  // Most sessions have none, and then skip loading the code for them.
  const inForce = { sections: before, omitted: skills.omitted };
  if (instructions.length === 0 && omittedInstructions.length === 0) return inForce;
  const { instructionSections } = await import("../instructions/instruction-sections.ts");
  const { sections, omitted } = instructionSections(instructions, omittedInstructions);
  return {
    sections: [...sections, ...before],
    omitted: [...omitted, ...skills.omitted],
  };
}

async function sectionsOf(bundles: LoadedSettings["bundles"]): Promise<BroughtSection[]> {
  if (bundles.length === 0) return [];
  const { bundleSections } = await import("../bundles/bundle-parts.ts");
  return bundleSections(bundles);
}
