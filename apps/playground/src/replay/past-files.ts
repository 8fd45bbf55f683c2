import type { SessionEvent } from "@robota/runtime";
import type { FileChange } from "@robota/runtime/tools";

/** The files of a session at one point. */
export interface PastFiles {
  /** Each changed file with its first known text, and the text at that point. */
  changes: FileChange[];
  /** Files that changed without a record of their text, as by a command. */
  others: string[];
}

interface Known {
  changes: ReadonlyMap<string, FileChange>;
  touched: ReadonlySet<string>;
}

/** The files that a session had changed by then, as its tools reported them. */
export function filesAt(events: readonly SessionEvent[], position: number): PastFiles {
  let changes = new Map<string, FileChange>();
  let touched = new Set<string>();
  const checkpoints = new Map<string, Known>();
  const remember = (id: string): void =>
    void checkpoints.set(id, { changes: new Map(changes), touched: new Set(touched) });

  for (const event of events.slice(0, position)) {
    switch (event.type) {
      case "turn_start":
        remember(event.turnId ?? `turn-${event.seq}`);
        break;
      case "rewind": {
        const target = checkpoints.get(event.checkpointId);
        remember(`rewind-${event.seq}`);
        if (event.what === "conversation" || !target) break;
        changes = new Map(target.changes);
        touched = new Set(target.touched);
        break;
      }
      case "files_before":
        // Outside of turns, a rewind puts files back.
        if (event.turnId !== undefined) for (const { path } of event.files) touched.add(path);
        break;
      case "tool_end":
        for (const change of event.outcome.changes ?? []) {
          const before = changes.get(change.path);
          changes.set(change.path, before ? { ...change, before: before.before } : change);
        }
        break;
      default:
    }
  }
  const sorted = [...changes.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return {
    changes: sorted.filter(({ before, after }) => before !== after),
    others: [...touched].filter((path) => !changes.has(path)).toSorted(),
  };
}
