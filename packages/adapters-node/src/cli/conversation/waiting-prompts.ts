import type { PromptQueue } from "@robota/runtime/sessions";
import { firstLine } from "../printable.ts";
import type { Theme } from "./theme.ts";

/** The prompts that wait behind the running turn, a line each. */
export function waitingText(queue: PromptQueue, theme: Theme): string {
  const prompts = queue.list();
  if (prompts.length === 0) return "";
  const lines = prompts.map(({ text, displayText }, at) =>
    theme.dim(`${at + 1} ↳ ${firstLine(displayText ?? text, 70)}`),
  );
  const hint = queue.isPaused()
    ? "Paused: Enter sends the next prompt · ↑ takes the last one back"
    : "↑ takes the last one back";
  return [...lines, theme.dim(`  ${hint}`)].join("\n");
}
