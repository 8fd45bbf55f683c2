import { ConfigurationError } from "../errors.ts";
import { nameHint } from "../messages/near-names.ts";
import { AGENT, NAMED_TOOLS } from "../permissions/rules/tool-names.ts";
import type { InteractiveSessionOptions } from "./options.ts";
import type { SessionSurroundings } from "./configure-session.ts";

const AGENT_OUTPUT = "AgentOutput";
const SKILL = "Skill";

/** The names that the option `builtInTools` may have. Whoever may start agents may also collect their reports. */
export const BUILT_IN_TOOL_NAMES: readonly string[] = [...NAMED_TOOLS, AGENT, SKILL];

/** Reports whether the session has the built-in tool of this name; true for tools that are not built in. */
export type BuiltInToolFilter = (name: string) => boolean;

/** @throws {ConfigurationError} for a name that no built-in tool has */
export function toolChoice({
  builtInTools,
}: Pick<InteractiveSessionOptions, "builtInTools">): BuiltInToolFilter {
  if (!builtInTools) return () => true;
  const unknown = builtInTools.find((name) => !BUILT_IN_TOOL_NAMES.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError(`There is no built-in tool "${unknown}"`, {
      hint: nameHint(unknown, BUILT_IN_TOOL_NAMES),
    });
  const chosen = new Set(builtInTools);
  if (chosen.has(AGENT)) chosen.add(AGENT_OUTPUT);
  const known = new Set([...BUILT_IN_TOOL_NAMES, AGENT_OUTPUT]);
  return (name) => chosen.has(name) || !known.has(name);
}

/** Leaves out the built-in tools that were not chosen. A program's own tools of these names stay. */
export function withChosenTools<Surroundings extends SessionSurroundings>(
  surroundings: Surroundings,
  own: InteractiveSessionOptions["tools"],
  isChosen: BuiltInToolFilter,
): Surroundings {
  const names = new Set(own?.map(({ name }) => name));
  const stays = ({ name }: { name: string }): boolean => names.has(name) || isChosen(name);
  const { host, tools, ownTools } = surroundings;
  for (const tool of host.tools.values()) if (!stays(tool)) host.tools.delete(tool.name);
  return {
    ...surroundings,
    tools: tools.filter(stays),
    ownTools: (platform, cwd) => ownTools(platform, cwd).filter(({ name }) => isChosen(name)),
  };
}
