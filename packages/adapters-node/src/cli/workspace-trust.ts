import { createInterface } from "node:readline/promises";
import type { WorkspaceTrust, WorkspaceTrustRequest } from "@robota/runtime";
import { printable } from "./printable.ts";

/**
 * Who says whether the workspace is trusted: an option of the command, for this run; a person at the terminal, for good;
 * or nobody, and then only what a person has trusted before is in force.
 */
export function workspaceTrust(isTrusted: boolean): WorkspaceTrust | undefined {
  if (isTrusted) return true;
  return process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined;
}

async function askAtTerminal(request: WorkspaceTrustRequest): Promise<boolean> {
  const { cwd, findings, isChanged, signal } = request;
  const began = isChanged ? "What acts for you there has changed." : "It has settings that act.";
  const lines = [
    `Do you trust ${cwd}? ${began}`,
    ...findings.map(({ file, setting, detail }) => `  ${file}: ${setting} ${detail}`),
    "With a yes, its hooks run programs on this machine, and what it allows is done without asking you.",
  ];
  process.stderr.write(`${printable(lines.join("\n"))}\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Type "yes" to trust it: ', { signal });
    return answer.trim().toLowerCase() === "yes";
  } finally {
    terminal.close();
  }
}
