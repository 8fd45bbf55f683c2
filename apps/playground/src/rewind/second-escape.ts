/** Milliseconds between two presses that belong together. */
const PAUSE_MS = 600;

let last = -Infinity;

/**
 * True for the second of two quick presses of Escape that had nothing else to close or stop, with nothing typed in the box
 * that has the focus.
 */
export function isSecondEscape(event: KeyboardEvent): boolean {
  if (
    event.key !== "Escape" ||
    event.repeat ||
    document.querySelector("dialog[open], [popover]:popover-open")
  )
    return false;
  const { target } = event;
  const isText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  if (isText && target.value !== "") return false;
  const isSecond = event.timeStamp - last < PAUSE_MS;
  last = isSecond ? -Infinity : event.timeStamp;
  return isSecond;
}
