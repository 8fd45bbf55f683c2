import { defined } from "../../defined.ts";
import type { SessionEventOf } from "../log/events.ts";
import { isNote, type SkillInvocation } from "../log/notes.ts";
import type { OpenTurn } from "./open-calls.ts";

/** Keeps account of the skills that an open turn uses, and of the model and the effort that they chose, the last first. */
export function noteSkills(turn: OpenTurn, event: SessionEventOf<"note">): void {
  if (isNote(event, "skill-invocation")) {
    const { skillName, model, effort } = event.data as SkillInvocation;
    turn.skills.push(skillName);
    turn.skillModel = { ...turn.skillModel, ...defined({ model, effort }) };
  }
  // Skills that were in use before the import allow and choose nothing here.
  if (isNote(event, "imported")) {
    turn.skills.splice(0);
    turn.skillModel = undefined;
  }
}
