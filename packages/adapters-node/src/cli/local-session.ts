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
import type { PromptCommand } from "./arguments/commands.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { findSession } from "./stored/find-session.ts";
import { readMcpConfig } from "./mcp-config.ts";
import { resumedProvider } from "./resumed-provider.ts";
import { workspaceTrust } from "./workspace-trust.ts";

/** The part of a command that says which session it is about, and what that session may do. */
export type LocalChoices = Omit<PromptCommand, "name" | "prompt" | "inputFormat" | "outputFormat">;

export interface LocalSessionOptions {
  /** Takes remarks about how the session is opened. */
  note: (text: string) => void;
  handler?: PermissionHandler | undefined;
  /** Prompts that may wait while a turn runs. */
  queueLimit?: number | undefined;
}

/** Opens the session of this machine that a command asks for. */
export async function openLocalSession(
  choice: LocalChoices,
  platform: Platform,
  { note, handler, queueLimit }: LocalSessionOptions,
): Promise<InteractiveSession> {
  const { cwd, permissionMode, allow, deny, maxTurns, maxBudget, forkSession, sessionId } = choice;
  const trustWorkspace = workspaceTrust(choice.trustWorkspace);
  const { values, trust, warnings } = await readSettings(platform, { cwd, trustWorkspace });
  for (const { layer, setting, message } of warnings) note(`${layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    note(`--${kind} ${rule}: ${message}`);
  const resumeSessionId = await findSession(choice, platform);
  const chosen = await resumedProvider(resumeSessionId, choice, values.provider ?? {}, platform);
  const { provider } = chosen;
  if (chosen.note) note(chosen.note);
  const session = openSession({
    platform,
    provider,
    cwd,
    roots: choice.addDirs.length > 0 ? [cwd, ...choice.addDirs] : undefined,
    permissions: { allow, deny },
    // The person was asked, and is not asked twice.
    trustWorkspace: trustWorkspace === undefined ? undefined : trust === "trusted",
    permissionHandler: handler,
    permissionMode,
    maxTurns,
    budget: maxBudget === undefined ? undefined : { dollars: maxBudget },
    mcpServers: await readMcpConfig(choice.mcpConfig, cwd),
    resumeSessionId,
    forkSession,
    sessionId,
    queueLimit,
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
