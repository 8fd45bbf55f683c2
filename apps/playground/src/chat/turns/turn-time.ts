import type { TurnView } from "@robota/react/store";
import { formatDuration } from "../../ui/format.ts";
import { waitedMs } from "./waited-ms.ts";

/** How long a turn has worked, and how long it has waited for a person: `2.1 s, and 5.0 s waiting for you`. Empty before its end. */
export function turnTime(turn: Pick<TurnView, "startedAt" | "endedAt" | "items">): string {
  if (turn.endedAt === undefined) return "";
  const waited = waitedMs(turn);
  const work = formatDuration(Math.max(0, turn.endedAt - turn.startedAt - waited));
  return waited > 0 ? `${work}, and ${formatDuration(waited)} waiting for you` : work;
}
