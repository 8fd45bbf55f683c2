import { BUILT_IN_TOOLS } from "../../permissions/rules/tool-names.ts";

/** All names that a tool can be meant by: a guard of a built-in tool that this session happens not to have is right, too. */
export function toolNames(present: Iterable<string>): string[] {
  return [...new Set([...present, ...BUILT_IN_TOOLS])];
}
