import {
  InteractiveSession,
  type InteractiveSessionOptions,
  type PermissionHandler,
  type Provider,
  type Platform,
  ValidationError,
} from "@robota/runtime";
import { permissionWarnings } from "@robota/runtime/permissions";
import { type ProviderSettings, readSettings } from "@robota/runtime/settings";
import type { PromptCommand } from "./arguments/commands.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { findSession } from "./stored/find-session.ts";
import { PROVIDER_NAMES } from "./provider.ts";
import { type AskedProvider, resumedProvider } from "./resumed-provider.ts";
import { answersIn, sessionOptions } from "./session-options.ts";
import { workspaceTrust } from "./workspace-trust.ts";

/** The part of a command that says which session it is about, and what that session may do. */
export type LocalChoices = Omit<PromptCommand, "name" | "prompt" | "inputFormat" | "outputFormat">;

/** A session, and the way to read its answers where they have the form of a schema. */
export interface LocalSession {
  session: InteractiveSession;
  outputOf: ((response: string) => Promise<unknown>) | undefined;
}

export interface LocalSessionOptions {
  /** Takes remarks about how the session is opened. */
  note: (text: string) => void;
  /** Called when a person is about to be asked at the terminal. */
  beforeQuestion?: (() => void) | undefined;
  handler?: PermissionHandler | undefined;
  /** Prompts that may wait while a turn runs. */
  queueLimit?: number | undefined;
  commandSources?: InteractiveSessionOptions["commandSources"];
  onInterruptedTurn?: InteractiveSessionOptions["onInterruptedTurn"];
}

/**
 * Opens the session of this machine that a command asks for.
 *
 * @throws {Interrupted} when a person ends the program at the trust question
 */
export async function openLocalSession(
  choice: LocalChoices,
  platform: Platform,
  { note, beforeQuestion, handler, ...options }: LocalSessionOptions,
): Promise<LocalSession> {
  const { cwd, allow, deny, forkSession, sessionId } = choice;
  const chosen = await sessionOptions(choice, cwd);
  const answers = await answersIn(choice.jsonSchema, cwd);
  const { settings } = chosen;
  const question = new AbortController();
  const trustWorkspace = workspaceTrust(choice.trustWorkspace, question, beforeQuestion);
  const read = await readSettings(platform, { cwd, trustWorkspace, settings });
  question.signal.throwIfAborted();
  for (const { layer, setting, message } of read.warnings)
    note(`${layer === "invocation" ? "--settings" : layer}: ${setting} ${message}`);
  for (const { rule, kind, message } of permissionWarnings({ allow, deny }))
    note(`--${kind} ${rule}: ${message}`);
  const resumeSessionId = await findSession(choice, platform);
  const asked = askedProvider(choice, settings?.provider);
  const own = read.values.provider ?? {};
  const { provider, note: remark } = await resumedProvider(resumeSessionId, asked, own, platform);
  if (remark) note(remark);
  const session = openSession({
    platform,
    provider,
    cwd,
    ...chosen,
    ...answers?.options,
    roots: choice.addDirs.length > 0 ? [cwd, ...choice.addDirs] : undefined,
    // The person was asked, and is not asked twice.
    trustWorkspace: trustWorkspace === undefined ? undefined : read.trust === "trusted",
    permissionHandler: handler,
    resumeSessionId,
    forkSession,
    sessionId,
    ...options,
  });
  if (resumeSessionId !== undefined) await switchTo(session, provider, asked);
  return { session, outputOf: answers?.outputOf };
}

/** The provider and the model that this run names, by options of their own or in its settings. */
function askedProvider(
  { provider, model }: LocalChoices,
  settings: ProviderSettings = {},
): AskedProvider {
  const named = PROVIDER_NAMES.find((name) => name === settings.name);
  return { provider: provider ?? named, model: model ?? (provider ? undefined : settings.model) };
}

/** A stored session continues with the model that was chosen in it, unless this run names one. */
async function switchTo(
  session: InteractiveSession,
  { name, model }: Provider,
  asked: AskedProvider,
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
