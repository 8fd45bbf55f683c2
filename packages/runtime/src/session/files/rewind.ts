import { SessionError } from "../../errors.ts";
import { runningAgents } from "../agents/running-agents.ts";
import type { RewindScope } from "./checkpoints.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import { type ContextReportParts, reportContext } from "../state/report-context.ts";
import type { SessionState } from "../state/state.ts";
import { type RestoredFiles, restoreFiles } from "./restore.ts";
import type { SessionFiles } from "./session-files.ts";

export interface RewindParts extends ContextReportParts {
  readonly state: SessionState;
  readonly writer: SessionWriter;
  /** Absent when the session has no files, or does not follow them. */
  readonly files: SessionFiles | undefined;
  readonly toolState: Map<string, unknown>;
}

/** The outcome of a rewind. */
export interface RewindResult {
  what: RewindScope;
  /** The checkpoint that undoes it. */
  undoId: string;
  /** The prompt of the turn at the checkpoint, for a person to edit and resend. */
  input: string;
  files: RestoredFiles;
}

/**
 * Rewinds the conversation, the files or both to a checkpoint.
 * @throws {SessionError} `NOT_FOUND` for an unknown checkpoint of the current conversation, `SESSION_BUSY` while an agent
 * runs in the background: it would go on from a past that is undone, and change the restored files
 */
export async function rewindTo(
  parts: RewindParts,
  checkpointId: string,
  what: RewindScope,
): Promise<RewindResult> {
  const { state, writer, files } = parts;
  const agents = runningAgents(parts.toolState).inBackground;
  if (agents.length > 0) {
    throw new SessionError("SESSION_BUSY", "An agent still runs in the background", {
      hint: `Wait for its end, or stop it first: ${agents.join(", ")}.`,
    });
  }
  const target = state.checkpoints.list().find(({ id }) => id === checkpointId);
  const changed = state.checkpoints.filesAt(checkpointId);
  if (!target || !changed) {
    throw new SessionError("NOT_FOUND", `There is no checkpoint ${checkpointId}`, {
      hint: "checkpoints() lists the checkpoints of the current conversation.",
    });
  }
  await writer.commit({ type: "rewind", checkpointId, what });
  const undoId = state.checkpoints.list().at(-1)?.id ?? "";
  const restored: RestoredFiles =
    what === "conversation" || !files
      ? { restored: [], removed: [], notRestored: [] }
      : await restoreFiles(files.fs, changed, files.payloads);
  if (what !== "conversation") restored.notRestored.push(...state.checkpoints.listUncovered());
  const { length } = [...restored.restored, ...restored.removed, ...restored.notRestored];
  if (length > 0) await writer.commit({ type: "note", kind: "files-restored", data: restored });
  writer.saveHeader();
  reportContext(parts);
  return { what, undoId, input: target.input, files: restored };
}
