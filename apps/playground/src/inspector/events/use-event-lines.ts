import type { EventRow } from "@robota/react/store";
import { useEffect, useState } from "react";
import { type EventFilter, type EventLine, listEvents } from "./list-events.ts";

/** Milliseconds of work at a time: half a frame. */
const SLICE_MS = 8;

/** The lines for a filter, made in slices, so that typing stays quick in a long session. The former ones until they are made. */
export function useEventLines(
  rows: readonly EventRow[],
  { text, type }: EventFilter,
  closed: ReadonlySet<string>,
): readonly EventLine[] {
  const [lines, setLines] = useState<readonly EventLine[]>([]);

  useEffect(() => {
    const work = listEvents(rows, { text, type }, closed);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const go = (): void => {
      const start = performance.now();
      for (let step = work.next(); ; step = work.next()) {
        if (step.done) return setLines(step.value);
        if (performance.now() - start > SLICE_MS) break;
      }
      timer = setTimeout(go);
    };
    go();
    return () => clearTimeout(timer);
  }, [rows, text, type, closed]);

  return lines;
}
