import type { ChangedFile, ClientSession } from "@robota/runtime/sessions";
import { createCell } from "@robota/react/store";
import { announce } from "../ui/announcer.tsx";
import { shortPath } from "../ui/format.ts";

/** The last restoring of files in this page, which can be undone itself. */
export interface Restoring {
  session: ClientSession;
  /** The turn whose changes were undone; absent: all since the session's start. */
  turnId: string | undefined;
  /** The files that went back. */
  paths: readonly string[];
  undoId: string;
  /** The outcome in words. */
  text: string;
}

export const lastRestoring = createCell<Restoring | undefined>(undefined);

/**
 * Undoes the changes of files since a turn began, or since the session's start, unless they are others than those that the
 * page shows. @throws as `Session.restoreFiles`
 */
export async function undoChanges(
  session: ClientSession,
  files: readonly ChangedFile[],
  turnId?: string,
): Promise<void> {
  const { undoId, files: outcome } = await session.changes.restoreFiles(files, turnId);
  const failed = new Set(outcome.notRestored.map(({ path }) => path));
  const paths = files.map(({ path }) => path);
  const { cwd } = session.workspace;
  const [kept] = outcome.notRestored;
  const what = paths.length === 1 ? shortPath(paths[0] ?? "", cwd) : `${paths.length} files`;
  const text = kept
    ? `${shortPath(kept.path, cwd)} could not be restored: ${kept.reason}`
    : `Undid the changes to ${what}`;
  const restored = paths.filter((path) => !failed.has(path));
  lastRestoring.set({ session, turnId, paths: restored, undoId, text });
  announce(text);
}

/** Brings back what an undoing has taken away. */
export async function redoChanges(
  session: ClientSession,
  { paths, undoId }: Pick<Restoring, "paths" | "undoId">,
): Promise<void> {
  await session.changes.restoreFiles(paths, undoId);
  lastRestoring.set(undefined);
  announce("The changes are back");
}
