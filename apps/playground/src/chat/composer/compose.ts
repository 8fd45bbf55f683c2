import { createCell } from "@robota/react/store";
import type { Attachment } from "@robota/runtime/sessions";

interface Composed {
  text: string;
  /** Put before those that the message has already. */
  attachments?: readonly Attachment[] | undefined;
}

/** A message that a suggestion puts into the box; another object each time. */
export const composed = createCell<Composed | undefined>(undefined);

/** Puts a text into the message box, for the person to complete and send. */
export function composeText(text: string, attachments?: readonly Attachment[]): void {
  composed.set({ text, attachments });
}
