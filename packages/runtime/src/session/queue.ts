import { defined } from "../defined.ts";
import { requireArgument } from "../errors.ts";
import type { Attachment, Content } from "../messages/message.ts";
import type { AnswerFormat } from "../providers/provider.ts";
import type { SessionEventBody, TurnRequest } from "./log/events.ts";

/** The attachments of a prompt's message. */
export function attachmentsIn(content: Content = ""): Attachment[] {
  if (typeof content === "string") return [];
  return content.filter(
    (part): part is Attachment => part.type === "image" || part.type === "file",
  );
}

/** A prompt queued behind a turn. */
export interface WaitingPrompt {
  /** Names it while it waits. */
  id?: string | undefined;
  input: string;
  /** Text for the history instead. */
  displayInput?: string | undefined;
  /** The skill that it uses. */
  skill?: string | undefined;
  /** The client's request that it came of. */
  request?: TurnRequest | undefined;
  attachments?: readonly Attachment[] | undefined;
  /** The form of its answer, when it has one of its own. */
  responseFormat?: AnswerFormat | undefined;
}

type QueueUpdate = Extract<SessionEventBody, { type: "queue_update" }>;

/** The record of all that waits, in order. */
export function queueUpdate(
  prompts: readonly (string | WaitingPrompt)[],
  isPaused = false,
): QueueUpdate {
  requireArgument("queue", prompts, "array");
  const waiting: WaitingPrompt[] = prompts.map((prompt) =>
    typeof prompt === "string" ? { input: prompt } : prompt,
  );
  for (const prompt of waiting) requireArgument("queue", prompt?.input);
  return defined({
    type: "queue_update",
    queue: waiting.map(({ input }) => input),
    requests: column(waiting, ({ request }) => request),
    displayInputs: column(waiting, ({ displayInput }) => displayInput),
    skills: column(waiting, ({ skill }) => skill),
    ids: column(waiting, ({ id }) => id),
    attachments: column(waiting, ({ attachments }) => attachments && [...attachments]),
    responseFormats: column(waiting, ({ responseFormat }) => responseFormat),
    paused: isPaused || undefined,
  });
}

/** A value of each prompt; nothing when no prompt has one. */
function column<Value>(
  prompts: readonly WaitingPrompt[],
  of: (prompt: WaitingPrompt) => Value | undefined,
): (Value | null)[] | undefined {
  const values = prompts.map((prompt) => of(prompt) ?? null);
  return values.some((value) => value !== null) ? values : undefined;
}

/** Parses such a record. Prompts of older logs, which have no ids, are named by their places. */
export function waitingPrompts({
  queue,
  requests = [],
  displayInputs = [],
  skills = [],
  ids = [],
  attachments = [],
  responseFormats = [],
}: Omit<QueueUpdate, "type">): WaitingPrompt[] {
  return queue.map((input, index) => ({
    id: ids[index] ?? `place-${index}`,
    input,
    request: requests[index] ?? undefined,
    displayInput: displayInputs[index] ?? undefined,
    skill: skills[index] ?? undefined,
    attachments: attachments[index] ?? undefined,
    responseFormat: responseFormats[index] ?? undefined,
  }));
}

/** The whole queue, for a snapshot. */
export interface SavedQueue {
  queue: string[];
  queueRequests?: QueueUpdate["requests"] | undefined;
  queueDisplayInputs?: QueueUpdate["displayInputs"] | undefined;
  queueSkills?: QueueUpdate["skills"] | undefined;
  queueIds?: QueueUpdate["ids"] | undefined;
  queueAttachments?: QueueUpdate["attachments"] | undefined;
  queueResponseFormats?: QueueUpdate["responseFormats"] | undefined;
  queuePaused?: true | undefined;
}

export function savedQueue(prompts: readonly WaitingPrompt[], isPaused: boolean): SavedQueue {
  const update = queueUpdate(prompts, isPaused);
  return {
    queue: update.queue,
    queueRequests: update.requests,
    queueDisplayInputs: update.displayInputs,
    queueSkills: update.skills,
    queueIds: update.ids,
    queueAttachments: update.attachments,
    queueResponseFormats: update.responseFormats,
    queuePaused: update.paused,
  };
}

/** The queue of a snapshot, and the rest of it. */
export function restoredQueue(saved: SavedQueue): {
  prompts: WaitingPrompt[];
  isPaused: boolean;
  rest: object;
} {
  const { queue, queueRequests, queueDisplayInputs, queueSkills, ...others } = saved;
  const { queueIds, queueAttachments, queueResponseFormats, ...more } = others;
  const { queuePaused = false, ...rest } = more;
  const columns = defined({
    queue,
    requests: queueRequests,
    displayInputs: queueDisplayInputs,
    skills: queueSkills,
    ids: queueIds,
    attachments: queueAttachments,
    responseFormats: queueResponseFormats,
  });
  return { prompts: waitingPrompts(columns), isPaused: queuePaused, rest };
}
