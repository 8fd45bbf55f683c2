import { useReadable } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import type { ChangedFile, FileChangeKind } from "@robota/runtime/sessions";
import { useEffect, useState } from "react";
import { useCurrentSession, usePage } from "../state/page-context.ts";

const NONE: readonly ChangedFile[] = [];

/** The files that a turn changed, or all that differ from the session's start; again whenever files may have changed. */
export function useChangedFiles(turnId?: string): readonly ChangedFile[] {
  const { local } = useCurrentSession();
  const revision = useReadable(usePage().filesRevision);
  const [found, setFound] = useState<{
    session: InteractiveSession;
    turnId: string | undefined;
    files: readonly ChangedFile[];
  }>();

  useEffect(() => {
    let current = true;
    local?.changes.changedFiles(turnId).then(
      (files) => current && setFound({ session: local, turnId, files }),
      // Without storage, or for a turn that was rewound, nothing is known about changes.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [local, turnId, revision]);

  return found && found.session === local && found.turnId === turnId ? found.files : NONE;
}

/** The changed files by their paths, and each folder above them. */
export function marksOf(files: readonly ChangedFile[]): ReadonlyMap<string, FileChangeKind> {
  const marks = new Map<string, FileChangeKind>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      marks.set(path.slice(0, at), "modified");
  }
  for (const { path, kind } of files) marks.set(path, kind);
  return marks;
}
