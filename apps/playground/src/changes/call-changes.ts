import { type EventRow, sessionStore, type ToolItem } from "@robota/react/store";
import type { ChangedContent } from "@robota/runtime/sessions";
import type { FileChange } from "@robota/runtime/tools";
import { useEffect, useState } from "react";
import { useCurrentSession } from "../state/page-context.ts";
import { diffOf } from "./diff-of.ts";

/** Files whose lines are compared. */
const COMPARED = 50;
const NONE: readonly FileChange[] = [];

/** The files that a call changed without a report of its own, as a command does. */
export interface CallPaths {
  turnId: string;
  paths: readonly string[];
}

/**
 * Finds the files that a call was the first of its turn to change. Their earlier versions are recorded while it runs, or
 * a moment later.
 */
export function pathsOfCall(rows: readonly EventRow[], callId: string): CallPaths | undefined {
  const start = rows.findIndex(
    ({ event }) => event.type === "tool_start" && event.toolCallId === callId,
  );
  const turnId = rows[start]?.event.turnId;
  if (turnId === undefined) return undefined;
  const paths: string[] = [];
  for (const { event } of rows.slice(start + 1)) {
    if (event.type === "turn_end" || event.type === "tool_start") break;
    if (event.type === "files_before") paths.push(...event.files.map(({ path }) => path));
  }
  return { turnId, paths };
}

/** The changes of files by a call that reports none itself, as its turn left them; empty while they are not known. */
export function useCallChanges({ id, phase, outcome }: ToolItem): readonly FileChange[] {
  const { own } = useCurrentSession();
  const [found, setFound] = useState(NONE);
  const isOver = phase === "done" || phase === "failed" || phase === "stopped";
  const isWanted = isOver && !outcome?.changes;

  useEffect(() => {
    let isCurrent = true;
    const call = own && isWanted ? pathsOfCall(sessionStore(own).rows.get(), id) : undefined;
    if (!own || !call || call.paths.length === 0) return undefined;
    own.changes.changedContents(call.paths.slice(0, COMPARED), call.turnId).then(
      (contents) => isCurrent && setFound(contents.flatMap(changeOf)),
      // Nothing is known of a turn that was rewound.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [own, id, isWanted]);

  return found;
}

function changeOf(content: ChangedContent): FileChange[] {
  const diff = diffOf(content);
  return diff.kind === "text" && diff.added + diff.removed > 0 ? [diff.change] : [];
}
