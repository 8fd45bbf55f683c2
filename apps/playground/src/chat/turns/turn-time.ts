import type { TurnView } from "@robota/react/store";
import { formatDuration } from "../../ui/format.ts";

/** How long a turn has worked, and how long it has waited for a person: `2.1 s, and 5.0 s waiting for you`. Empty before its end. */
export function turnTime({
  startedAt,
  endedAt,
  waitedMs = 0,
}: Pick<TurnView, "startedAt" | "endedAt" | "waitedMs">): string {
  if (endedAt === undefined) return "";
  const work = formatDuration(Math.max(0, endedAt - startedAt - waitedMs));
  return waitedMs > 0 ? `${work}, and ${formatDuration(waitedMs)} waiting for you` : work;
}
