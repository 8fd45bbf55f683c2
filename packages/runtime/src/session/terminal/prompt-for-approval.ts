import type { ToolArgs } from "../../messages/message.ts";
import type { PermissionAnswer, PermissionResult } from "../../permissions/permission.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { TerminalOutput } from "../../ports/terminal.ts";
import { elicitationOf } from "../approvals/elicitation.ts";
import type { PermissionRequest } from "../log/events.ts";

/** Asks whether a call may run, with the session's terminal. A function that throws denies. */
export type PromptForApproval = (
  terminal: TerminalOutput,
  toolName: string,
  toolArgs: ToolArgs,
  request: PermissionRequest,
) => Promise<PermissionResult> | PermissionResult;

/**
 * Asks a person at a terminal: shows the whole call, with characters that can't be seen written out, and why it needs an
 * answer, and offers to allow it, to allow its like for the session, or to deny it. A server's form is filled in field by
 * field. For `SessionOptions.promptForApproval`.
 */
export async function promptForApproval(
  terminal: TerminalOutput,
  toolName: string,
  toolArgs: ToolArgs,
  request?: Pick<PermissionRequest, "reason" | "suggestedPattern" | "agent">,
): Promise<PermissionResult> {
  const { reason, suggestedPattern, agent } = request ?? {};
  const form = elicitationOf(toolName, toolArgs);
  if (form) return (await import("./fill-in.ts")).fillIn(terminal, form, reason);
  const who = agent ? `The agent ${agent.type}` : "The agent";
  terminal.writeLine(visibleText(`${who} wants to use ${toolName}:`, { singleLine: true }));
  for (const [name, value] of Object.entries(toolArgs))
    terminal.writeLine(visibleText(`  ${name}: ${shown(value)}`));
  if (reason) terminal.writeLine(visibleText(reason, { singleLine: true }));
  const choices: { label: string; answer: PermissionAnswer }[] = [
    { label: "Allow", answer: { allow: true } },
    ...(suggestedPattern === undefined
      ? []
      : [
          {
            label: visibleText(`Allow ${suggestedPattern} for this session`, { singleLine: true }),
            answer: { allow: true, scope: "session", pattern: suggestedPattern } as const,
          },
        ]),
    { label: "Deny", answer: { allow: false, reason: "The person at the terminal denied it." } },
  ];
  const labels = choices.map(({ label }) => label);
  // A person who only presses Enter has allowed nothing.
  const chosen = await terminal.select(labels, labels.length - 1);
  return choices[chosen]?.answer ?? { allow: false };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
