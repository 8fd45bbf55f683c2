import { visibleText } from "../../permissions/visible-text.ts";
import type { Spinner, TerminalOutput } from "../../ports/terminal.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";

const THINKING = "Thinking";

/**
 * Reports a session's events to a terminal, for `subscribe`: a spinner runs while the model or a tool is waited for,
 * and not while a person is asked or an answer is being written; warnings of hooks go to its errors, and so does the
 * reason of one that ends the turn.
 */
export function reportToTerminal(terminal: TerminalOutput): (event: SessionEvent) => void {
  let spinner: Spinner | undefined;
  const spin = (message: string): void => {
    if (spinner) spinner.update(message);
    else spinner = terminal.spinner(message);
  };
  const stop = (): void => {
    spinner?.stop();
    spinner = undefined;
  };
  return (event) => {
    switch (event.type) {
      case "turn_start":
      case "turn_resume":
      case "permission_decision":
      case "tool_end":
        return spin(THINKING);
      case "tool_start":
        return spin(visibleText(`Running ${event.tool}`, { singleLine: true }));
      case "permission_request":
      case "text_delta":
      case "turn_end":
        return stop();
      case "note":
        for (const text of hookTextsIn(event))
          terminal.writeError(visibleText(text, { singleLine: true }));
        return undefined;
      default:
        return undefined;
    }
  };
}

/** Warnings of hooks, and the reason why one of them ended the turn. */
function hookTextsIn(event: SessionEventOf<"note">): string[] {
  const { data } = event;
  if (typeof data !== "object" || data === null) return [];
  if (isNote(event, "hook-stopped")) {
    const reason = "reason" in data ? String(data.reason) : "";
    return [reason === "" ? "A hook ended the turn." : `A hook ended the turn: ${reason}`];
  }
  const warnings: unknown = isNote(event, "hook-warning") && "warnings" in data && data.warnings;
  return Array.isArray(warnings) ? warnings.map(String) : [];
}
