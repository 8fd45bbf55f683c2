import type { SessionEventOf } from "../log/events.ts";
import { isNote, type SkillInvocation } from "../log/notes.ts";

/** Keeps account of the skills that an open turn uses, by name. */
export function noteSkills({ skills }: { skills: string[] }, event: SessionEventOf<"note">): void {
  if (isNote(event, "skill-invocation")) skills.push((event.data as SkillInvocation).skillName);
  // Skills that were in use before the import allow nothing here.
  if (isNote(event, "imported")) skills.splice(0);
}
