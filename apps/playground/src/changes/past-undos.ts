import { type EventRow, type SessionConnection, sessionStore } from "@robota/react/store";

/** An undoing of changes, which can be undone itself. */
export interface PastUndo {
  paths: readonly string[];
  /** The checkpoint at which the changes were still there. */
  undoId: string;
}

/** The checkpoint of a session's start, as its log calls it. */
const START = "start";

/**
 * The last undoing of a turn's changes, or of those since the session's start; with a path, the last one that included it.
 * Those of former visits count too.
 */
export function lastUndo(
  session: SessionConnection,
  turnId: string | undefined,
  path?: string,
): PastUndo | undefined {
  return undoIn(sessionStore(session).rows.get(), turnId, path);
}

export function undoIn(
  rows: readonly EventRow[],
  turnId: string | undefined,
  path: string | undefined,
): PastUndo | undefined {
  for (const { event } of rows.toReversed()) {
    if (event.type !== "rewind" || event.checkpointId !== (turnId ?? START)) continue;
    const { paths = [] } = event;
    if (path === undefined ? paths.length > 0 : paths.includes(path))
      return { paths, undoId: `rewind-${event.seq}` };
  }
  return undefined;
}
