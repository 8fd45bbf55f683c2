import { errorMessage } from "../errors.ts";
import type { ToolArgs, ToolCall } from "../messages/message.ts";
import type { Tool, Validation } from "../tools/tool.ts";
import { validateArgs } from "../tools/validate-args.ts";

/** Checks what a model wrote as a call's arguments. Text that is no JSON object is never repaired, only reported with its place. */
export async function checkCall(tool: Tool, call: ToolCall): Promise<Validation<ToolArgs>> {
  if (call.rawArgs === undefined) return validateArgs(tool, call.args);
  return { ok: false, problems: [jsonProblem(call.rawArgs)] };
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return "/: the arguments must be a JSON object";
  } catch (error) {
    return `/: the arguments are no valid JSON: ${errorMessage(error)}`;
  }
}
