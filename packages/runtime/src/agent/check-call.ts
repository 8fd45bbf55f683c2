import type { ToolArgs, ToolCall } from "../messages/message.ts";
import { findJsonProblem } from "../messages/strict-json.ts";
import type { Tool, Validation } from "../tools/tool.ts";
import { validateArgs } from "../tools/validate-args.ts";

/**
 * Checks the arguments of a model's call. Text that is not a valid JSON object is never repaired, only reported with
 * its position.
 */
export async function checkCall(tool: Tool, call: ToolCall): Promise<Validation<ToolArgs>> {
  const problem = call.rawArgs === undefined ? sizeProblem(call.args) : textProblem(call.rawArgs);
  return problem === undefined ? validateArgs(tool, call.args) : { ok: false, problems: [problem] };
}

function textProblem(text: string): string {
  const found = findJsonProblem(text);
  if (!found) return "/: the arguments must be a JSON object";
  const before = text.slice(0, found.offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return `${found.pointer || "/"}: the arguments are not valid JSON: ${found.problem} (${place})`;
}

/** Checks the size limits for arguments that a provider delivers parsed, without their text. */
function sizeProblem(args: ToolArgs): string | undefined {
  let text: string;
  try {
    text = JSON.stringify(args);
  } catch {
    return "/: the arguments can't be written as JSON";
  }
  const found = findJsonProblem(text);
  return found && `${found.pointer || "/"}: ${found.problem}`;
}
