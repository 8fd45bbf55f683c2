import { BUILT_IN_TOOLS } from "../../permissions/rules/tool-names.ts";

/** All valid tool names: a guard of a built-in tool that this session lacks is valid, too. */
export function toolNames(present: Iterable<string>): string[] {
  return [...new Set([...present, ...BUILT_IN_TOOLS])];
}
