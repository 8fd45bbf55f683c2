import {
  InteractiveSession,
  type InteractiveSessionOptions,
  type Provider,
  type Platform,
  ValidationError,
} from "@robota/runtime";
import { permissionWarnings } from "@robota/runtime/permissions";
import { readSettings } from "@robota/runtime/settings";
import { type PromptCommand, UsageError } from "./arguments.ts";
import { askPerson } from "./ask-person.ts";
import { findSession } from "./find-session.ts";
import { Progress } from "./progress.ts";
import { isAttended, readInput } from "./read-input.ts";
import { runHeadless } from "./run-headless.ts";
import { chooseProvider } from "./provider.ts";
import { nodeTerminal } from "../terminal.ts";
import { workspaceTrust } from "./workspace-trust.ts";

/** Runs one turn, prints the answer, and resolves to the exit code. */
export async function runPrompt(command: PromptCommand, platform: Platform): Promise<number> {
  const { outputFormat, cwd, permissionMode, allow, deny, maxTurns } = command;
  const progress = new Progress(process.stderr, platform.env("TERM"));
  const trustWorkspace = workspaceTrust(command.trustWorkspace);
  const { values, trust, warnings } = await readSettings(platform, { cwd, trustWorkspace });
  for (const { layer, setting, message } of warnings)
    progress.line("dim", `${layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    progress.line("dim", `--${kind} ${rule}: ${message}`);
  const { provider, note } = await chooseProvider(command, values.provider ?? {}, platform);
  if (note) progress.line("dim", note);
  const input = await readInput(command, (text) => progress.line("dim", text));
  const resumeSessionId = await findSession(command, platform);

  const handler = isAttended(command)
    ? askPerson({
        terminal: nodeTerminal({ output: process.stderr }),
        aside: (question) => progress.aside(question),
        onLeave: () => session.abort(),
      })
    : undefined;
  await using session = openSession({
    platform,
    provider,
    cwd,
    permissions: { allow, deny },
    // The person was asked, and is not asked twice.
    trustWorkspace: trustWorkspace === undefined ? undefined : trust === "trusted",
    permissionHandler: handler,
    permissionMode,
    maxTurns,
    resumeSessionId,
  });
  if (resumeSessionId !== undefined) await switchTo(session, provider, command);
  // Awaited here: the session is closed as soon as this function returns.
  return await runHeadless(session, {
    input,
    format: outputFormat,
    progress,
    isAttended: handler !== undefined,
    isAllowed: ({ tool, args }) => session.explain(tool, args).decision === "auto",
    refusalHint: (rule) => `Allow it with --allow ${rule}, or choose another --permission-mode.`,
  });
}

/** A stored session continues with the model that was chosen in it, unless this run names one. */
async function switchTo(
  session: InteractiveSession,
  { name, model }: Provider,
  asked: PromptCommand,
): Promise<void> {
  if ((asked.model ?? asked.provider) === undefined) return;
  // Also where this run's provider has it already: the next run continues with what is on record.
  await session.setModel({ provider: name, model });
}

/** @throws {UsageError} for malformed rules of the command line, or rules that match no call */
function openSession(options: InteractiveSessionOptions): InteractiveSession {
  try {
    return new InteractiveSession(options);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new UsageError([error.message, error.hint].join("\n"), { cause: error });
  }
}
