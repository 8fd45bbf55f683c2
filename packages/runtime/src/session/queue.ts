import type { SessionEventBody, TurnRequest } from "./log/events.ts";

/** A prompt that waits behind a turn. */
export interface WaitingPrompt {
  input: string;
  /** The client's request that it came of. */
  request?: TurnRequest | undefined;
}

type QueueUpdate = Extract<SessionEventBody, { type: "queue_update" }>;

/** The record of all that waits, in order. */
export function queueUpdate(prompts: readonly (string | WaitingPrompt)[]): QueueUpdate {
  const waiting = prompts.map((prompt) =>
    typeof prompt === "string" ? { input: prompt } : prompt,
  );
  const requests = waiting.map(({ request }: WaitingPrompt) => request ?? null);
  return {
    type: "queue_update",
    queue: waiting.map(({ input }) => input),
    ...(requests.some((request) => request !== null) ? { requests } : {}),
  };
}

/** What such a record says. */
export function waitingPrompts({
  queue,
  requests = [],
}: Pick<QueueUpdate, "queue" | "requests">): WaitingPrompt[] {
  return queue.map((input, index) => {
    const request = requests[index];
    return request ? { input, request } : { input };
  });
}
