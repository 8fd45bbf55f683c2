import type { ToolArgs } from "../../messages/message.ts";
import { describeCall, type PermissionContext } from "../call.ts";
import { parsePattern } from "./parse-pattern.ts";
import { hostOf } from "./pattern.ts";
import { hasControlCharacters } from "../command-lines/shell-words.ts";

/**
 * The narrowest rule that lets the same call through again: the exact command, the exact file, the host of an address.
 * `undefined` when no rule can say just that, as with a text that holds `*`. A tool that is not built in and has no
 * `patternArgument` is suggested as a whole.
 */
export function suggestPattern(
  tool: string,
  args: ToolArgs,
  context: Pick<PermissionContext, "access" | "patternArgument" | "patternKind"> = {},
): string | undefined {
  const { patternArgument, patternKind, value } = describeCall(tool, args, context);
  if (tool.includes("*") || !parsePattern(tool)) return undefined;
  if (patternArgument === undefined) return tool;
  if (value === undefined || hasControlCharacters(value)) return undefined;
  if (patternKind === "address") {
    const host = hostOf(value);
    if (host !== undefined) return `${tool}(domain:${host})`;
  }
  if (value.includes("*")) return undefined;
  const isAbsolute = patternKind === "path" && value.startsWith("/");
  const rule = `${tool}(${isAbsolute ? "/" : ""}${patternKind === "command" ? value.trim() : value})`;
  return parsePattern(rule) ? rule : undefined;
}
