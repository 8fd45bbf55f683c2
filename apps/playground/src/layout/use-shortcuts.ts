import { useEffect, useEffectEvent } from "react";
import type { PageState } from "../state/page-state.ts";
import { type Action, actions } from "./actions.ts";
import { isSecondEscape } from "../rewind/second-escape.ts";
import { isPressed } from "./keys.ts";
import { openDialog } from "./open-dialog.ts";

/** The keys of all actions. Elements with their own use for a key prevent its default. */
export function useShortcuts(page: PageState): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const action = actions.find((candidate) => isMeant(candidate, event, page));
    if (!action) {
      if (!isSecondEscape(event)) return;
      // The browser would close the dialog again by the same key.
      event.preventDefault();
      openDialog("rewind");
      return;
    }
    event.preventDefault();
    action.run(page);
  });

  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function isMeant(action: Action, event: KeyboardEvent, page: PageState): boolean {
  const keys = action.keys?.find((each) => isPressed(event, each));
  if (!keys) return false;
  if (!action.isGlobal && document.querySelector("dialog[open]")) return false;
  if (action.isTypeable && !keys.includes("+") && isTyping(event.target)) return false;
  // The platform closes an open popover with it.
  if (keys === "Esc" && document.querySelector("[popover]:popover-open")) return false;
  return action.isEnabled?.(page) ?? true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")
  );
}
