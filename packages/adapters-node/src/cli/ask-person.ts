import { type PermissionHandler, promptForApproval } from "@robota/runtime";
import { type PermissionResult } from "@robota/runtime/permissions";
import type { TerminalOutput } from "@robota/runtime/ports";

export interface Asking {
  terminal: TerminalOutput;
  /** Carries a question out while nothing else is written to the terminal. */
  aside: (question: () => Promise<PermissionResult>) => Promise<PermissionResult>;
  /** The person ended the input, or pressed Ctrl+C, instead of an answer. */
  onLeave: () => void;
}

/** Asks the person at the terminal for each call that needs an answer, one after another. */
export function askPerson({ terminal, aside, onLeave }: Asking): PermissionHandler {
  let last: Promise<unknown> = Promise.resolve();
  let hasLeft = false;
  const ask = async (
    ...[tool, args, request]: Parameters<PermissionHandler>
  ): Promise<PermissionResult> => {
    if (hasLeft) return { allow: false };
    try {
      return await aside(async () => promptForApproval(terminal, tool, args, request));
    } catch {
      hasLeft = true;
      onLeave();
      return { allow: false };
    }
  };
  // Agents that work side by side would write over each other's questions.
  return (...call) => {
    const answer = last.then(() => ask(...call));
    last = answer;
    return answer;
  };
}
