import type { KeyboardEvent } from "react";

/** While a turn itself has the focus, single keys press the buttons of its message that declare them. */
export function onTurnKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!/^[a-z]$/i.test(event.key)) return;
  const key = event.key.toUpperCase();
  const button = event.currentTarget.querySelector<HTMLButtonElement>(
    `[data-part=prompt-actions] [aria-keyshortcuts=${key}]:enabled`,
  );
  if (!button) return;
  event.preventDefault();
  button.click();
}
