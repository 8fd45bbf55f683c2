import { createCell } from "@robota/react/store";

/** A text that a suggestion puts into the message box; another object each time. */
export const composed = createCell<{ text: string } | undefined>(undefined);

/** Puts a text into the message box, for the person to complete and send. */
export function composeText(text: string): void {
  composed.set({ text });
}
