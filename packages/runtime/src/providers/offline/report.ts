import { contentText, type ToolMessage } from "../../messages/message.ts";
import { hasErrorCode } from "../../messages/tool-error-code.ts";
import type { Action } from "./script.ts";

const MAX_LINES = 30;
const MAX_CHARACTERS = 2_000;

/** The script's report on a call's result, and whether the script continues. */
export interface Report {
  text: string;
  goesOn: boolean;
}

/**
 * Reports a tool's answer in its own words. A person's refusal ends the script: the rest may build on it. A failed
 * command does not: showing the failure may be the point.
 */
export function report(action: Action, result: ToolMessage): Report {
  const line = action.do === "call" ? `\`${action.line}\`` : "The step";
  const output = contentText(result.content)
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
  if (hasErrorCode(result, "permission_denied")) {
    return {
      text: `${line} was denied. I won't try anything else.\n${excerpt(output)}`,
      goesOn: false,
    };
  }
  if (hasErrorCode(result, "hook_blocked")) {
    return {
      text: `${line} was blocked by a hook. I won't try anything else.\n${excerpt(output)}`,
      goesOn: true,
    };
  }
  if (hasErrorCode(result, "unknown_outcome")) {
    return {
      text: `${line} was interrupted, and its outcome is unknown. Please check.`,
      goesOn: false,
    };
  }
  if (hasErrorCode(result, "aborted")) return { text: `${line} was stopped.`, goesOn: false };
  if (result.isError) return { text: `${line} failed:\n${excerpt(output)}`, goesOn: true };
  return {
    text: output === "" ? `${line} is done.` : `Output of ${line}:\n${excerpt(output)}`,
    goesOn: true,
  };
}

/** The remaining commands, for sending them again. */
export function leftOver(actions: readonly Action[]): string {
  const lines = actions.flatMap((action) => (action.do === "call" ? [`- \`${action.line}\``] : []));
  const unique = [...new Set(lines)];
  return unique.length === 0 ? "" : `Not run:\n${unique.join("\n")}`;
}

/** The beginning of an output, fenced; the tool's own view has all of it. */
function excerpt(output: string): string {
  const all = output.split("\n");
  const shown = all.slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARACTERS).toWellFormed();
  const left = all.length - shown.split("\n").length;
  // A fence longer than any inside.
  const fence = "`".repeat(Math.max(3, ...(shown.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}\n${shown}\n${fence}${left > 0 ? `\n… and ${left} more lines.` : ""}`;
}
