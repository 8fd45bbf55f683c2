import { contentText, type InteractiveSession } from "@robota/runtime";
import { agentFile } from "../../support/agent-support.ts";

/** A `SKILL.md` with these fields. */
export function skillFile(fields: Record<string, unknown>, body = "Follow me."): string {
  return agentFile({ description: "Does something", ...fields }, body);
}

/** A call of the tool that brings skills in. */
export function skillCall(skill: string, more: { args?: string; file?: string } = {}) {
  return { name: "Skill", args: { skill, ...more } };
}

/** The results of the model's calls, in order. */
export function toolResults(session: InteractiveSession): string[] {
  return session
    .getMessages()
    .filter(({ role }) => role === "tool")
    .map(({ content }) => contentText(content));
}

/** The data of the history's entries about skills. */
export function invocations(session: InteractiveSession): unknown[] {
  return session.getFullHistory().flatMap((entry) => {
    if (entry.type !== "skill-invocation") return [];
    if (entry.category !== "event") throw new Error("such an entry is an event");
    return [entry.data];
  });
}
