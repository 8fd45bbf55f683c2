import { SessionError, ValidationError, requireArgument } from "../../errors.ts";
import { runningAgents } from "../agents/running-agents.ts";
import { type Checkpoint, type RewindScope, SESSION_START } from "./checkpoints.ts";
import type { FileBefore } from "./past-version.ts";
import type { SessionWriter } from "../log/session-writer.ts";
import { type ContextReportParts, reportContext } from "../state/report-context.ts";
import type { SessionState } from "../state/state.ts";
import { type RestoredFiles, restoreFiles } from "./restore.ts";
import type { SessionFiles } from "./session-files.ts";
import { keepHeader } from "../store/header-writer.ts";

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
 * Rewinds the conversation, the files or both to a checkpoint; with `paths`, only those files, and what is below those
 * directories.
 * @throws {SessionError} `NOT_FOUND` for anything but a checkpoint of the current conversation or the undoing of a rewind,
 * `SESSION_BUSY` while an agent runs in the background: it would go on from a past that is undone, and change the
 * restored files
 */
export async function rewindTo(
  parts: RewindParts,
  checkpointId: string,
  what: RewindScope,
  paths?: readonly string[],
): Promise<RewindResult> {
  const { state, writer, files } = parts;
  requireArgument("checkpointId", checkpointId);
  for (const path of paths ?? []) requireArgument("paths", path);
  requireScope(what);
  const agents = runningAgents(parts.toolState).inBackground;
  if (agents.length > 0) {
    throw new SessionError("SESSION_BUSY", "An agent still runs in the background", {
      hint: `Wait for its end, or stop it first: ${agents.join(", ")}.`,
    });
  }
  const target = findCheckpoint(state, checkpointId, paths);
  const changed = state.checkpoints.filesAt(checkpointId);
  if (!target || !changed) {
    throw new SessionError("NOT_FOUND", `There is no checkpoint ${checkpointId}`, {
      hint: "checkpoints() lists the checkpoints of the current conversation.",
    });
  }
  await writer.commit({ type: "rewind", checkpointId, what, ...(paths && { paths: [...paths] }) });
  const undoId = state.checkpoints.list().at(-1)?.id ?? "";
  const restored: RestoredFiles =
    what === "conversation" || !files
      ? { restored: [], removed: [], notRestored: [] }
      : await restoreSome(files, changed, paths);
  if (what !== "conversation" && !paths)
    restored.notRestored.push(...state.checkpoints.listUncovered());
  const { length } = [...restored.restored, ...restored.removed, ...restored.notRestored];
  if (length > 0) await writer.commit({ type: "note", kind: "files-restored", data: restored });
  writer.saveHeader(keepHeader);
  reportContext(parts);
  return { what, undoId, input: target.input, files: restored };
}

const SCOPES: readonly RewindScope[] = ["both", "files", "conversation"];

/** A misspelt scope would restore the conversation and leave the files as they are. */
function requireScope(what: RewindScope): void {
  if (SCOPES.includes(what)) return;
  throw new ValidationError(`${JSON.stringify(what)} is not what a rewind can restore`, {
    hint: `Say one of ${SCOPES.join(", ")}.`,
  });
}

/** Single files can go back to the session's start as well. */
function findCheckpoint(
  state: SessionState,
  id: string,
  paths: readonly string[] | undefined,
): Pick<Checkpoint, "input"> | undefined {
  if (paths && id === SESSION_START) return { input: "" };
  return state.checkpoints.find(id);
}

/** Restores what is at `paths` and below. Directories that were made for it go as well, once they are empty. */
async function restoreSome(
  files: SessionFiles,
  changed: readonly FileBefore[],
  paths: readonly string[] | undefined,
): Promise<RestoredFiles> {
  if (!paths) return restoreFiles(files.fs, changed, files.payloads);
  const isMeant = (path: string): boolean => paths.some((meant) => isWithin(path, meant));
  const leadsTo = ({ path, before }: FileBefore): boolean =>
    before === null && paths.some((meant) => isWithin(meant, path));
  const wanted = changed.filter((file) => isMeant(file.path) || leadsTo(file));
  const result = await restoreFiles(files.fs, wanted, files.payloads);
  return { ...result, notRestored: result.notRestored.filter(({ path }) => isMeant(path)) };
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}
