import { lastTurn, sessionStore, type SessionView, type TurnView } from "@robota/react/store";
import { importSession, type InteractiveSession, type PermissionMode } from "@robota/runtime";
import type { AgentHost } from "../agent-host.ts";
import { connectedProvider } from "../connections/connected-provider.ts";
import { OFFLINE } from "../connections/connection.ts";
import { connectionOf } from "../connections/connections.ts";
import { type SessionSettings, writeSessionSettings } from "../connections/session-settings.ts";
import { WORKSPACE_ROOT } from "../constants.ts";
import { problemText } from "../inspector/use-busy.ts";
import { applyDifferences, type FileDifference, fileDifferences } from "./file-differences.ts";
import { noteSide, forgetSide } from "./leftovers.ts";

export type SideName = "A" | "B";

/** Everything in which two sides may differ. */
export interface SideSettings extends SessionSettings {
  provider: string;
  model: string;
  mode: PermissionMode;
}

/** One of two answers to the same prompt, in a session of its own on its own copy of the files. */
export interface Side {
  name: SideName;
  settings: SideSettings;
  session: InteractiveSession;
  /** The last turn of the conversation that it was forked from. */
  pastTurn: string | undefined;
  /** Resolves to the reason why no turn began, or to `undefined` at the turn's end. */
  refusal: Promise<string | undefined>;
}

export interface Comparison {
  prompt: string;
  sides: readonly [Side, Side];
}

/** Forks the session twice at its end, and sends the prompt to both. After a failure, nothing is left. */
export async function compare(
  host: AgentHost,
  session: InteractiveSession,
  { prompt, sides }: { prompt: string; sides: readonly [SideSettings, SideSettings] },
): Promise<Comparison> {
  // An empty session has nothing to fork, and stays empty.
  const scratch = session.isEmpty ? await host.openSession() : undefined;
  const begun: InteractiveSession[] = [];
  try {
    await scratch?.setPermissionMode(session.getPermissionMode());
    const base = scratch ?? session;
    const pastTurn = lastTurn(sessionStore(base).get())?.id;
    for (const settings of sides) begun.push(await forkWith(base, settings));
    const [one, other] = begun;
    if (!one || !other) throw new Error("Two sides were to begin");
    const side = (name: SideName, fork: InteractiveSession, settings: SideSettings): Side => ({
      name,
      settings,
      session: fork,
      pastTurn,
      refusal: fork.submit(prompt).then(() => undefined, problemText),
    });
    return { prompt, sides: [side("A", one, sides[0]), side("B", other, sides[1])] };
  } catch (error) {
    for (const fork of begun) await discard(host, fork);
    throw error;
  } finally {
    if (scratch) await discard(host, scratch);
  }
}

async function forkWith(
  base: InteractiveSession,
  { provider, model, mode, effort, instructions }: SideSettings,
): Promise<InteractiveSession> {
  const connection = connectionOf(provider, model) ?? OFFLINE;
  const fork = await base.fork();
  noteSide(fork.sessionId);
  await fork.setProvider(connectedProvider(connection, { effort, instructions }));
  if (mode !== fork.getPermissionMode()) await fork.setPermissionMode(mode);
  return fork;
}

/** The turn that answers the prompt, once it has begun. */
export function answerOf({ pastTurn }: Side, view: SessionView): TurnView | undefined {
  const turn = lastTurn(view);
  return turn?.id === pastTurn ? undefined : turn;
}

/** Differences between the workspace and a side's own files. */
export function changesOf(host: AgentHost, { session }: Side): Promise<FileDifference[]> {
  return fileDifferences(host.fs, session.workspace.fs, WORKSPACE_ROOT);
}

/**
 * Makes a side the session that goes on: its conversation, and its files in the workspace. Nothing of the other one
 * stays. @returns the session's id
 */
export async function keepSide(
  host: AgentHost,
  { sides }: Comparison,
  name: SideName,
): Promise<string> {
  const winner = sides.find((side) => side.name === name) ?? sides[0];
  const stream = await winner.session.export({ files: "changed", grants: true });
  const target = {
    storage: host.storage,
    fs: host.fs,
    now: () => Date.now(),
    randomUUID: () => crypto.randomUUID(),
  };
  const kept = await importSession(target, stream, {
    cwd: WORKSPACE_ROOT,
    sessionId: crypto.randomUUID(),
    files: "workspace",
    trusted: true,
  });
  // An export leaves out what looks like a secret, and files that were deleted.
  await applyDifferences(winner.session.workspace.fs, host.fs, WORKSPACE_ROOT);
  writeSessionSettings(kept, winner.settings);
  await discardAll(host, sides);
  return kept;
}

/** Stops both sides, and deletes their sessions and files. */
export async function discardAll(host: AgentHost, sides: readonly Side[]): Promise<void> {
  for (const { session } of sides) await discard(host, session);
}

async function discard(host: AgentHost, session: InteractiveSession): Promise<void> {
  await session.shutdown({ reason: "closed" });
  await host.deleteSession(session.sessionId);
  forgetSide(session.sessionId);
}
