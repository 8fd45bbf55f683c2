import { ValidationError } from "../../errors.ts";
import { isObject } from "../settings/settings-object.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { definitionOf } from "./parse-agent-file.ts";

const HINT =
  'Write them as {"reviewer": {"description": "Reviews changes", "prompt": "You review …", "model": "sonnet"}}.';

/**
 * The agents of a JSON object as Claude Code has it: each under its name, with `description` and `prompt`, and the other
 * fields of an agent file.
 * @throws {ValidationError} that names the agent and what it lacks
 */
export function agentsIn(value: unknown): AgentDefinition[] {
  if (!isObject(value)) throw new ValidationError("Agents are an object", { hint: HINT });
  return Object.entries(value).map(([name, agent]) => {
    if (!isObject(agent))
      throw new ValidationError(`The agent ${name} is not an object`, { hint: HINT });
    const { prompt, ...fields } = agent;
    const body = typeof prompt === "string" ? prompt.trim() : "";
    const parsed = definitionOf(
      { fields: new Map(Object.entries({ ...fields, name })), body },
      name,
    );
    if ("definition" in parsed) return parsed.definition;
    throw new ValidationError(`The agent ${name} ${parsed.problem}`, { hint: HINT });
  });
}
