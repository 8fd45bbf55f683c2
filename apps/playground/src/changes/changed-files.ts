import { useReadable } from "@robota/react";
import { SessionError } from "@robota/runtime";
import type { ChangedFile, ClientSession, FileChangeKind } from "@robota/runtime/sessions";
import { useEffect, useMemo, useState } from "react";
import { placeOnPage } from "./place.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";

const NONE: readonly ChangedFile[] = [];

export interface Changes {
  files: readonly ChangedFile[];
  /** The reason for which they are not known. */
  failure?: string | undefined;
}

/** As `useChanges`; none while they are not known. */
export function useChangedFiles(turnId?: string): readonly ChangedFile[] {
  return useChanges(turnId)?.files ?? NONE;
}

/**
 * The files that a turn changed, or all that differ from the session's start; again whenever files may have changed.
 * `undefined` until they are read.
 */
export function useChanges(turnId?: string): Changes | undefined {
  const { own } = useCurrentSession();
  const revision = useReadable(usePage().filesRevision);
  const [found, setFound] = useState<Found>();

  useEffect(() => {
    let current = true;
    if (!own) return undefined;
    const show = (changes: Changes) => current && setFound({ ...changes, session: own, turnId });
    listOf(own, turnId, revision).then(show, (error: unknown) =>
      show({ files: NONE, failure: wordsOf(error) }),
    );
    return () => {
      current = false;
    };
  }, [own, turnId, revision]);

  return found && found.session === own && found.turnId === turnId ? found : undefined;
}

interface Found extends Changes {
  session: ClientSession;
  turnId: string | undefined;
}

/** Nothing is known of a turn that was rewound, which is no failure. */
function wordsOf(error: unknown): string | undefined {
  if (error instanceof SessionError && error.code === "NOT_FOUND") return undefined;
  return error instanceof Error ? error.message : String(error);
}

/** The lists of one revision, so that a server is asked once for what several parts of the page show. */
interface Lists {
  revision: number;
  byTurn: Map<string | undefined, Promise<Changes>>;
}

const lists = new WeakMap<ClientSession, Lists>();

function listOf(
  session: ClientSession,
  turnId: string | undefined,
  revision: number,
): Promise<Changes> {
  const last = lists.get(session);
  const known = last?.revision === revision ? last : { revision, byTurn: new Map() };
  lists.set(session, known);
  const list =
    known.byTurn.get(turnId) ?? session.changes.changedFiles(turnId).then((files) => ({ files }));
  known.byTurn.set(turnId, list);
  // The next part that shows it asks again.
  list.catch(() => known.byTurn.delete(turnId));
  return list;
}

/** The changed files by their paths in the page, and each folder above them. */
export function useMarks(): ReadonlyMap<string, FileChangeKind> {
  const { own } = useCurrentSession();
  const files = useChangedFiles();
  return useMemo(
    () =>
      marksOf(
        files.map((file) => ({ ...file, path: own ? placeOnPage(own, file.path) : file.path })),
      ),
    [own, files],
  );
}

export function marksOf(
  files: readonly Pick<ChangedFile, "path" | "kind">[],
): ReadonlyMap<string, FileChangeKind> {
  const marks = new Map<string, FileChangeKind>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      marks.set(path.slice(0, at), "modified");
  }
  for (const { path, kind } of files) marks.set(path, kind);
  return marks;
}
