import { defined } from "../defined.ts";
import type { SessionEventBody, TurnRequest } from "./log/events.ts";

/** A prompt queued behind a turn. */
export interface WaitingPrompt {
  input: string;
  /** Text for the history instead. */
  displayInput?: string | undefined;
  /** The skill that it uses. */
  skill?: string | undefined;
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
  const displayInputs = waiting.map(({ displayInput }: WaitingPrompt) => displayInput ?? null);
  const skills = waiting.map(({ skill }: WaitingPrompt) => skill ?? null);
  return defined({
    type: "queue_update",
    queue: waiting.map(({ input }) => input),
    requests: requests.some((request) => request !== null) ? requests : undefined,
    displayInputs: displayInputs.some((text) => text !== null) ? displayInputs : undefined,
    skills: skills.some((name) => name !== null) ? skills : undefined,
  });
}

/** Parses such a record. */
export function waitingPrompts({
  queue,
  requests = [],
  displayInputs = [],
  skills = [],
}: Omit<QueueUpdate, "type">): WaitingPrompt[] {
  return queue.map((input, index) => {
    const request = requests[index];
    const displayInput = displayInputs[index] ?? undefined;
    const skill = skills[index] ?? undefined;
    return {
      input,
      request: request ?? undefined,
      displayInput,
      skill,
    };
  });
}

/** The whole queue, for a snapshot. */
export interface SavedQueue {
  queue: string[];
  queueRequests?: QueueUpdate["requests"] | undefined;
  queueDisplayInputs?: QueueUpdate["displayInputs"] | undefined;
  queueSkills?: QueueUpdate["skills"] | undefined;
}

export function savedQueue(prompts: readonly WaitingPrompt[]): SavedQueue {
  const { queue, requests, displayInputs, skills } = queueUpdate(prompts);
  return {
    queue,
    queueRequests: requests,
    queueDisplayInputs: displayInputs,
    queueSkills: skills,
  };
}

export function restoredQueue({
  queue,
  queueRequests: requests,
  queueDisplayInputs: displayInputs,
  queueSkills: skills,
}: SavedQueue): WaitingPrompt[] {
  return waitingPrompts(
    defined({
      queue,
      requests,
      displayInputs,
      skills,
    }),
  );
}
