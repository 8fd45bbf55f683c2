import type { SessionEvent } from "@robota/runtime";
import type { EventFold } from "../inspector/use-event-fold.ts";

/** The paths that changed in each turn, in the order of the changes, by the turn's id. */
export const turnFiles: EventFold<Map<string, Set<string>>> = {
  create: () => new Map(),
  apply(files, event: SessionEvent) {
    if (event.type !== "files_before" || event.turnId === undefined) return false;
    const paths = files.get(event.turnId) ?? new Set();
    for (const { path } of event.files) paths.add(path);
    files.set(event.turnId, paths);
    return true;
  },
};
