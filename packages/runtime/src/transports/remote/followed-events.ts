import type { SessionEvent } from "../../session/log/events.ts";
import type { SessionFollower } from "./session-follower.ts";

/** Gets each event that arrives. */
export type EventFollower = (event: SessionEvent, isLive: boolean) => void;

/**
 * Yields the events behind `after` that arrived already, then live ones as one of `followers`, until `signal` aborts or the
 * connection has ended.
 * @throws the error that ended the connection for good
 */
export async function* followedEvents(
  follower: SessionFollower,
  followers: Set<EventFollower>,
  { after = 0, signal }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<SessionEvent, void> {
  let pending = follower.mirror.after(after);
  let wake = (): void => {};
  const onAbort = (): void => wake();
  const take: EventFollower = (event, isLive) => {
    if (!isLive && event.seq <= after) return;
    pending.push(event);
    wake();
  };
  const ended = follower.signal;
  followers.add(take);
  signal?.addEventListener("abort", onAbort);
  ended.addEventListener("abort", onAbort);
  try {
    while (!signal?.aborted) {
      const batch = pending;
      pending = [];
      for (const event of batch) {
        if (signal?.aborted) return;
        yield event;
      }
      if (pending.length > 0 || signal?.aborted) continue;
      if (ended.aborted) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    followers.delete(take);
    signal?.removeEventListener("abort", onAbort);
    ended.removeEventListener("abort", onAbort);
  }
  if (follower.failure && !signal?.aborted) throw follower.failure;
}
