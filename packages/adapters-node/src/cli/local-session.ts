import {
  InteractiveSession,
  type InteractiveSessionOptions,
  type PermissionHandler,
  type Provider,
  type Platform,
  ValidationError,
} from "@robota/runtime";
import { permissionWarnings } from "@robota/runtime/permissions";
import { readSettings } from "@robota/runtime/settings";
import { type PromptCommand, UsageError } from "./arguments.ts";
import { findSession } from "./find-session.ts";
import type { Progress } from "./progress.ts";
import { resumedProvider } from "./resumed-provider.ts";
import { workspaceTrust } from "./workspace-trust.ts";

/** The part of a command that says which session it is about, and what that session may do. */
export type LocalChoices = Omit<PromptCommand, "name" | "prompt" | "inputFormat" | "outputFormat">;

/** Opens the session of this machine that a command asks for. */
export async function openLocalSession(
  choice: LocalChoices,
  platform: Platform,
  { progress, handler }: { progress: Progress; handler?: PermissionHandler | undefined },
): Promise<InteractiveSession> {
  const { cwd, permissionMode, allow, deny, maxTurns } = choice;
  const trustWorkspace = workspaceTrust(choice.trustWorkspace);
  const { values, trust, warnings } = await readSettings(platform, { cwd, trustWorkspace });
  for (const { layer, setting, message } of warnings)
    progress.line("dim", `${layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    progress.line("dim", `--${kind} ${rule}: ${message}`);
  const resumeSessionId = await findSession(choice, platform);
  const chosen = await resumedProvider(resumeSessionId, choice, values.provider ?? {}, platform);
  const { provider, note } = chosen;
  if (note) progress.line("dim", note);
  const session = openSession({
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
  if (resumeSessionId !== undefined) await switchTo(session, provider, choice);
  return session;
}

/** A stored session continues with the model that was chosen in it, unless this run names one. */
async function switchTo(
  session: InteractiveSession,
  { name, model }: Provider,
  asked: LocalChoices,
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
