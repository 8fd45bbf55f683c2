import type { KeyboardEvent } from "react";

export interface KeyActions {
  /** True while presses may still be meant for what had the focus before. */
  guarded: boolean;
  choosingScope: boolean;
  allowOnce: () => void;
  deny: () => void;
  chooseScope: () => void;
  leaveScope: () => void;
}

/** Answers by key: `1`, `2`, `3` outside of texts, `Mod+Enter` denies with the note, `Escape` leaves the scope. */
export function answerByKey(event: KeyboardEvent, actions: KeyActions): void {
  if (event.nativeEvent.isComposing) return;
  const { guarded, choosingScope } = actions;
  const target = event.target as HTMLElement;
  const isTyping = target.matches("input[type=text], textarea");
  // A person who types a note has seen the request; other keys may still be meant for the previously focused element.
  if (guarded && !isTyping) return;
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !choosingScope) {
    event.preventDefault();
    actions.deny();
    return;
  }
  if (event.key === "Escape" && choosingScope) {
    event.preventDefault();
    event.stopPropagation();
    actions.leaveScope();
    return;
  }
  if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "1") actions.allowOnce();
  else if (event.key === "2") actions.chooseScope();
  else if (event.key === "3") actions.deny();
  else return;
  event.preventDefault();
}
