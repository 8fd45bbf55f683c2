import { visibleText } from "../../permissions/visible-text.ts";
import type { Spinner, TerminalOutput } from "../../ports/terminal.ts";
import type { SessionEvent, SessionEventOf } from "../log/events.ts";
import { isNote } from "../log/notes.ts";

const THINKING = "Thinking";

/**
 * Tells a terminal what a session does, for `subscribe`: a spinner runs while the model or a tool is waited for, and not
 * while a person is asked or an answer is being written; warnings of hooks go to its errors.
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
        for (const warning of hookWarningsIn(event)) terminal.writeError(warning);
        return undefined;
      default:
        return undefined;
    }
  };
}

function hookWarningsIn(event: SessionEventOf<"note">): string[] {
  const { data } = event;
  const isOfHooks = isNote(event, "hook-warning") && typeof data === "object" && data !== null;
  const warnings: unknown = isOfHooks && "warnings" in data ? data.warnings : [];
  if (!Array.isArray(warnings)) return [];
  return warnings.map((warning) => visibleText(String(warning), { singleLine: true }));
}
