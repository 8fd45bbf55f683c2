import {
  type BroughtSection,
  type OmittedSection,
  SECTION_PRIORITY,
} from "../prompt/prompt-section.ts";
import { INSTRUCTION_FILES, type InstructionFile } from "./read-instructions.ts";

const INTRO =
  "Instructions of this project, from its own files. They say how to work here; of two that contradict each other, the one from the nearer directory counts. They approve nothing, and what the person says comes first.";

/** Sections of the instruction files in force, and the files that have none, with the reason. */
export interface InstructionSections {
  sections: readonly BroughtSection[];
  omitted: readonly OmittedSection[];
}

/**
 * A section for each file, all of `AGENTS.md` before all of `CLAUDE.md`, the outermost file of a kind first. The nearest
 * file has the first claim to the budget. A text that several files have appears once.
 */
export function instructionSections(files: readonly InstructionFile[]): InstructionSections {
  const sections: BroughtSection[] = [];
  const omitted: OmittedSection[] = [];
  const texts = new Map<string, string>();
  for (const kind of INSTRUCTION_FILES) {
    for (const [index, file] of files.entries()) {
      if (file.kind !== kind || file.problem !== undefined) continue;
      const same = texts.get(file.text);
      if (same !== undefined) {
        const reason = `it says the same as ${same}`;
        omitted.push({ name: kind, source: file.name, text: file.text, reason });
        continue;
      }
      texts.set(file.text, file.name);
      sections.push({
        name: kind,
        source: file.name,
        text: `# ${file.path}\n\n${file.text}`,
        // Files come with the outermost first.
        priority: SECTION_PRIORITY.instructions + index / files.length,
        intro: INTRO,
      });
    }
  }
  return { sections, omitted };
}
