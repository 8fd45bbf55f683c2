import type { Attachment } from "../messages/message.ts";
import type { SessionEventOf } from "../session/log/events.ts";
import { type WaitingPrompt, waitingPrompts } from "../session/queue.ts";

/** A prompt that waits for the running turn, as people see it. */
export interface QueuedPrompt {
  /** Names it in the operations of `PromptQueue`, also after a reload. */
  id: string;
  text: string;
  /** Text that people see instead, such as the command that made the prompt. */
  displayText?: string | undefined;
  attachments?: readonly Attachment[] | undefined;
}

/** The prompts of a recorded queue, as `PromptQueue.list` has them. */
export function queuedPrompts(event: SessionEventOf<"queue_update">): QueuedPrompt[] {
  return waitingPrompts(event).map(shown);
}

/** A waiting prompt, as people see it. */
export function shown({ id = "", input, displayInput, attachments }: WaitingPrompt): QueuedPrompt {
  return { id, text: input, displayText: displayInput, attachments };
}
