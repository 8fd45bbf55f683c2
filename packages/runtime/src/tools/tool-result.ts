import { errorMessage } from "../errors.ts";
import { isContent } from "../messages/is-content.ts";
import type { ToolResult } from "./tool.ts";

/**
 * The result for whatever a tool gave, which no compiler may have checked: a message without text or parts would be
 * stored, and no later request could be built from it. A failure without a text for the model tells its reason.
 */
export function toToolResult(given: unknown): ToolResult {
  if (!isResult(given)) return { success: true, output: textOf(given) };
  if (isWhole(given)) return given;
  const { output: content, error, ...facts } = given;
  const output = isContent(content) ? content : textOf(content);
  if (error === undefined) return { ...facts, output };
  const reason = error instanceof Error ? reasonOf(error) : textOf(error);
  const saysNothing = !facts.success && output.length === 0;
  return { ...facts, output: saysNothing ? reason : output, error: reason };
}

/** Reports whether the result is what its type says, and tells the model something if it is a failure. */
function isWhole(result: Resulting): result is ToolResult {
  const { success, output, error } = result;
  if (!isContent(output)) return false;
  return error === undefined || (typeof error === "string" && (success || output.length > 0));
}

/** The reason of a failure for the model. An error without a message is told by those it consists of, or by its name. */
export function reasonOf(error: unknown): string {
  const parts = error instanceof AggregateError ? error.errors.map(reasonOf).join("; ") : "";
  return errorMessage(error) || parts || String(error);
}

/** A result as far as it can be told from other JSON: its parts may still be of any form. */
type Resulting = Omit<ToolResult, "output" | "error"> & { output: unknown; error?: unknown };

function isResult(given: unknown): given is Resulting {
  return (
    typeof given === "object" &&
    given !== null &&
    "success" in given &&
    typeof given.success === "boolean" &&
    "output" in given
  );
}

/** Text as it is, nothing for `undefined` and for what JSON can't express, and anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const json: string | undefined = JSON.stringify(value);
  return json ?? "";
}
