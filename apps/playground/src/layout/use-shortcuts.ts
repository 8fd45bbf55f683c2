import { useEffect, useEffectEvent } from "react";
import { focusNextRegion, focusTurn } from "./region-focus.ts";

export interface Shortcuts {
  onStop: () => void;
  onJumpToRequest: () => void;
  onSessions: () => void;
  onPanel: () => void;
  onKeyboardMap: () => void;
}

/** Keyboard shortcuts of the whole page. Elements with their own use for a key prevent its default. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const action = shortcutAction(event, shortcuts);
    if (!action) return;
    event.preventDefault();
    action();
  });

  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function shortcutAction(event: KeyboardEvent, shortcuts: Shortcuts): (() => void) | undefined {
  const mod = event.metaKey || event.ctrlKey;
  const isModal = document.querySelector("dialog[open]") !== null;
  if (event.key === "F6") return () => focusNextRegion(event.shiftKey);
  if (mod && event.key === "/") return shortcuts.onKeyboardMap;
  if (isModal) return undefined;
  if (mod && !event.shiftKey && !event.altKey) {
    if (event.key.toLowerCase() === "b") return shortcuts.onSessions;
    if (event.key.toLowerCase() === "j") return shortcuts.onPanel;
    return undefined;
  }
  if (event.altKey) {
    // By physical key: with Alt, some layouts produce other characters.
    if (event.code === "KeyA") return shortcuts.onJumpToRequest;
    if (event.key === "ArrowUp") return () => focusTurn(-1);
    if (event.key === "ArrowDown") return () => focusTurn(1);
    return undefined;
  }
  if (event.key === "Escape" && !document.querySelector("[popover]:popover-open")) {
    return shortcuts.onStop;
  }
  if (event.key === "?" && !isTyping(event.target)) return shortcuts.onKeyboardMap;
  return undefined;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
