import { SessionError } from "../errors.ts";
import { interruptedAgents } from "./agents/open-agents.ts";
import type { Platform } from "../ports/platform.ts";
import type { SessionFiles } from "./files/session-files.ts";
import { reportsAtOpening } from "./log/crash-recovery.ts";
import type { SessionEventBody } from "./log/events.ts";
import { isArrival } from "./log/notes.ts";
import { isFull } from "./log/storage-failures.ts";
import { handedOver } from "./log/refusals.ts";
import type { SessionLog } from "./log/log.ts";
import { isDamaged, type LoadedLog } from "./log/log-reader.ts";
import type { SessionWriter } from "./log/session-writer.ts";
import type { SessionOptions } from "./options.ts";
import type { SessionState } from "./state/state.ts";
import type { SnapshotKeeper } from "./state/snapshot-keeper.ts";
import { readHeader } from "./store/header.ts";
import { afterCut, type PickUpParts } from "./turn/pick-up-turn.ts";
import { keepHeader } from "./store/header-writer.ts";

/** Gap in the numbers after a crash, so that no number that a reader may have seen is used again. */
const SEQ_GAP_AFTER_CRASH = 65_536;

export type ReopenParts = PickUpParts & {
  readonly sessionId: string;
  readonly options: Pick<SessionOptions, "permissionMode" | "promptOnResume" | "provider">;
  readonly hostPlatform: Platform;
  readonly log: SessionLog;
  readonly writer: SessionWriter;
  readonly files: SessionFiles | undefined;
};

/** Records that a loaded session was opened again, and all that follows from how its last page or process left it. */
export async function reopen(
  parts: ReopenParts,
  loaded: LoadedLog,
  snapshots: Pick<SnapshotKeeper, "recovered">,
): Promise<void> {
  const { state, log, writer, options } = parts;
  // A damaged log may have lost the end of its import, and all that came behind it may be whole.
  if (state.arriving !== undefined && !isDamaged(loaded)) throw await incomplete(parts);
  const bodies: SessionEventBody[] = state.isInitialised ? [] : [await lostBeginning(parts)];
  if (state.hasOwnFiles) await moveToOwnFiles(parts);
  // Only to be read: it goes on elsewhere.
  if (state.handedOverTo) return log.seal(handedOver(state.handedOverTo.sessionId));
  bodies.push(...reportsAtOpening(state, loaded, options.permissionMode));
  bodies.push(...promptChange(state, options), ...interruptedAgents(state));
  const cut = state.turn !== undefined;
  if (!cut && bodies.length === 0) return writer.resumeLater();
  if (cut) {
    // The host that handed it over has stored all that it showed.
    if (!isArrival(loaded.events.at(-1))) log.skip(SEQ_GAP_AFTER_CRASH);
    log.turnId = state.turn?.turnId;
    bodies.push(...(await afterCut(parts, loaded.events)));
  }
  bodies.unshift({ type: "session_resume", cut });
  try {
    await log.commit(...bodies);
  } catch (error) {
    if (!isFull(error)) throw error;
    // Without room it can still be read and exported. Stored with whatever is stored next.
    for (const body of bodies) log.stream(body);
  }
  for (const body of bodies) snapshots.recovered(body);
  if (!state.turn) log.turnId = undefined;
  writer.saveHeader(keepHeader);
}

/** The model as it is, with the system prompt that the caller gives. */
function promptChange(
  state: SessionState,
  { provider, promptOnResume }: ReopenParts["options"],
): SessionEventBody[] {
  const prompt = promptOnResume?.(state);
  if (!prompt || prompt.systemMessage === state.systemMessage) return [];
  const { name, model } = provider;
  return [{ type: "model_change", provider: name, model, ...prompt }];
}

/** Makes room for the same import again. */
async function incomplete({ sessionId, hostPlatform, log }: ReopenParts): Promise<SessionError> {
  const { removeSession } = await import("./store/remove-session.ts");
  await removeSession(hostPlatform.storage, sessionId);
  const error = new SessionError("LOG_CORRUPT", `The import of session ${sessionId} was cut`, {
    hint: "Import it again: the part that had arrived was removed.",
  });
  // Its shutdown adds nothing either.
  await log.seal(error);
  return error;
}

/** Replaces an unreadable first record: its working directory is taken from the header. */
async function lostBeginning({
  state,
  writer,
  hostPlatform,
  sessionId,
}: ReopenParts): Promise<SessionEventBody> {
  const header = await readHeader(hostPlatform.storage, sessionId);
  if (header) state.cwd = header.cwd;
  return writer.initialEvent();
}

async function moveToOwnFiles({ files, hostPlatform, sessionId }: ReopenParts): Promise<void> {
  if (!files) return;
  const { DurableOverlay } = await import("./files/durable-overlay.ts");
  await files.moveTo(await DurableOverlay.load(hostPlatform.fs, hostPlatform.storage, sessionId));
}
