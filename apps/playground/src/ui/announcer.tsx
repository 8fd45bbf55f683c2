import { useReadable } from "@robota/react";
import { createCell } from "@robota/react/store";

const message = createCell("");

/** Says one sentence to screen readers, when they have a moment. The newest sentence wins. */
export function announce(text: string): void {
  // A no-break space makes the same words twice two announcements.
  message.set(message.get() === text ? `${text}\u00a0` : text);
}

/** The one place that speaks. Nothing that streams is ever a live region. */
export function Announcer() {
  return (
    <div role="status" data-part="visually-hidden">
      {useReadable(message)}
    </div>
  );
}
