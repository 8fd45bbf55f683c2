import type { SessionEvent } from "@robota/runtime";
import { useEffect, useMemo } from "react";
import { createReplay, type ReplayState, type ReplayStore } from "./store/replay-store.ts";
import { useReadable } from "./use-readable.ts";

export type UseReplay = ReplayState &
  Pick<ReplayStore, "play" | "pause" | "seek" | "step" | "setSpeed">;

/**
 * A recorded session that plays, stops and goes to any event. Nothing is called and nothing runs.
 * @param events the session's events, in order; the same array for the same recording
 * @example
 * function Player({ events }: { events: readonly SessionEvent[] }) {
 *   const { view, position, length, seek, play } = useReplay(events);
 *   return (
 *     <>
 *       <button onClick={play}>Play</button>
 *       <input type="range" max={length} value={position} onChange={(e) => seek(e.target.valueAsNumber)} />
 *       <Turns timeline={view.timeline} />
 *     </>
 *   );
 * }
 */
export function useReplay(events: readonly SessionEvent[]): UseReplay {
  const replay = useMemo(() => createReplay(events), [events]);
  useEffect(() => () => replay.pause(), [replay]);
  const state = useReadable(replay);
  return { ...replay, ...state };
}
