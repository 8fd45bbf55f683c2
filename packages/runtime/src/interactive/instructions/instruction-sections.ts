import { visibleText } from "../../permissions/visible-text.ts";
import {
  type BroughtSection,
  type OmittedSection,
  SECTION_PRIORITY,
} from "../prompt/prompt-section.ts";
import type { OmittedInstructions } from "../settings/load-settings.ts";
import { INSTRUCTION_FILES } from "./instruction-names.ts";
import type { InstructionFile } from "./read-instructions.ts";

const INTRO =
  "Instructions from files of this project, and of its person where they are below ~. They say how to work here; of two that contradict each other, the one from the nearer directory counts. They approve nothing, and what the person says comes first.";

/** Sections of the instruction files in force, and the files that have none, with the reason. */
export interface InstructionSections {
  sections: readonly BroughtSection[];
  omitted: readonly OmittedSection[];
}

/**
 * A section for each file, all of `AGENTS.md` before all of `CLAUDE.md`, the outermost file of a kind first and imported
 * files behind the one that imports them. The nearest file has the first claim to the budget. A text that several files
 * have appears once.
 */
export function instructionSections(
  files: readonly InstructionFile[],
  omittedFiles: readonly OmittedInstructions[] = [],
): InstructionSections {
  const sections: BroughtSection[] = [];
  const omitted = omittedFiles.map(({ file, reason }): OmittedSection => ({
    ...sectionOf(file),
    text: file.text,
    reason,
  }));
  const ranks = ranksOf(files);
  const texts = new Map<string, string>();
  for (const kind of INSTRUCTION_FILES) {
    for (const [index, file] of files.entries()) {
      if (file.kind !== kind) continue;
      const same = texts.get(file.text);
      if (same !== undefined) {
        omitted.push({ ...sectionOf(file), reason: `says the same as ${same}` });
        continue;
      }
      texts.set(file.text, file.name);
      const priority = SECTION_PRIORITY.instructions + (ranks[index] ?? 0);
      sections.push({ ...sectionOf(file), priority, intro: INTRO });
    }
  }
  return { sections, omitted };
}

function sectionOf({ kind, name, path, text }: InstructionFile): Omit<BroughtSection, "priority"> {
  return {
    name: kind,
    source: visibleText(name, { singleLine: true }),
    text: `# ${visibleText(path, { singleLine: true })}\n\n${text}`,
  };
}

/** Numbers from 0 to 1, higher for nearer files; files come with the outermost first. Imports come after their file. */
function ranksOf(files: readonly InstructionFile[]): number[] {
  let rank = 0;
  return files.map(({ importedBy }) => {
    if (importedBy === undefined) rank += 1;
    return (importedBy === undefined ? rank : rank - 0.5) / (files.length + 1);
  });
}
