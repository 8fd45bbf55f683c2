import type { InteractiveSession, Platform } from "@robota/runtime";
import type { PromptCommand } from "./arguments/commands.ts";
import { askPerson } from "./ask-person.ts";
import { openLocalSession } from "./local-session.ts";
import { Progress } from "./progress.ts";
import { isAttended, readInput } from "./read-input.ts";
import { runHeadless } from "./run-headless.ts";
import { nodeTerminal } from "../terminal.ts";

/** Runs one turn, prints the answer, and resolves to the exit code. */
export async function runPrompt(command: PromptCommand, platform: Platform): Promise<number> {
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const input = await readInput(command, (text) => progress.line("dim", text));
  let opened: InteractiveSession | undefined;
  const handler = isAttended(command)
    ? askPerson({
        terminal: nodeTerminal({ output: process.stderr }),
        aside: (question) => progress.aside(question),
        onLeave: () => opened?.abort(),
      })
    : undefined;
  const { session: local, outputOf } = await openLocalSession(command, platform, {
    note: (text) => progress.line("dim", text),
    handler,
  });
  await using session = local;
  opened = session;
  // Awaited here: the session is closed as soon as this function returns.
  return await runHeadless(session, {
    input,
    format: command.outputFormat,
    outputOf,
    progress,
    isAttended: handler !== undefined,
    isAllowed: ({ tool, args }) => session.explain(tool, args).decision === "auto",
    refusalHint: (rule) => `Allow it with --allow ${rule}, or choose another --permission-mode.`,
  });
}
