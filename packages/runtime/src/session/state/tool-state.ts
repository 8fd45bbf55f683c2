import type { FileChange } from "../../tools/tool.ts";
import type { DiffLine } from "./diff-lines.ts";

/** A tool call as a user interface shows it. */
export interface ToolState {
  toolCallId: string;
  toolName: string;
  /** The first text among the arguments, on one line of at most 80 characters. The event `tool_start` has all of them. */
  firstArg: string;
  isRunning: boolean;
  result?: "success" | "error" | "denied";
  changes?: readonly FileChange[];
  /** The path of the first change; of an ended tool, where `on("tool_end")` reports it. */
  diffFile?: string;
  /** The lines of that change with three lines of context around each difference. */
  diffLines?: readonly DiffLine[];
}

/** A tool call of a finished turn, in short. */
export interface ToolSummary {
  toolName: string;
  firstArg: string;
  result: "success" | "error" | "denied";
}
