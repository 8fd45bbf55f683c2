import type { ToolOutcome, ToolState } from "@robota/runtime/sessions";
import { firstLine, printable } from "../printable.ts";
import type { Theme } from "./theme.ts";

/** A call that has ended, as the history has it. */
export type EndedTool = ToolState & { outcome: ToolOutcome };

const ARGUMENT_LENGTH = 100;
/** Lines of an output that are shown at first, and after a request for all. */
const [BRIEF, FULL] = [4, 200];

/** One line about a call: its state, its tool and main argument, its exit code and its duration. */
export function toolLine({ toolName, firstArg, result, outcome }: EndedTool, theme: Theme): string {
  const { exitCode, durationMs } = outcome;
  const facts = [
    result === "denied" ? "denied" : undefined,
    result === "error" && exitCode === undefined ? "failed" : undefined,
    exitCode === undefined ? undefined : `exit ${exitCode}`,
    result === "denied" ? undefined : durationOf(durationMs),
  ].filter((fact) => fact !== undefined);
  const signs = {
    success: theme.success("✓"),
    error: theme.error("✗"),
    denied: theme.warning("⊘"),
  };
  const sign = signs[result ?? "success"];
  return `${sign} ${calledTool(toolName, firstArg, theme)}${theme.dim(` · ${facts.join(" · ")}`)}`;
}

/** The tool and its main argument. */
export function calledTool(toolName: string, firstArg: string, theme: Theme): string {
  return `${theme.bold(printable(toolName))} ${firstLine(firstArg, ARGUMENT_LENGTH)}`.trimEnd();
}

/** The beginning of a result, with how much is left. */
export function toolOutput(text: string, isExpanded: boolean): string {
  const lines = printable(text).replaceAll("\t", "    ").trimEnd().split("\n");
  const limit = isExpanded ? FULL : BRIEF;
  if (lines.length <= limit) return lines.join("\n");
  const hint = isExpanded ? "" : " (Ctrl+O shows them)";
  return [...lines.slice(0, limit), `… ${lines.length - limit} more lines${hint}`].join("\n");
}

/** `0.3 s`, `12 s`, `2 min 5 s`. */
export function durationOf(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
