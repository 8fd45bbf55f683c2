import { type Component, isKeyRelease, matchesKey, type TUI } from "@earendil-works/pi-tui";
import { PERMISSION_MODES } from "@robota/runtime/permissions";
import type { ClientSession } from "@robota/runtime/sessions";
import { HangingText } from "./hanging-text.ts";
import type { Screen } from "./screen.ts";
import type { Theme } from "./theme.ts";

export interface KeyActions {
  session: ClientSession;
  screen: Screen;
  leave: () => void;
  openRewind: () => void;
  /** Shows the failure of work that nobody waits for. */
  report: (work: Promise<unknown>) => void;
}

/** A key that does something when it is pressed twice in a row. */
type Armed = "rewind" | "leave" | undefined;

/** Listens for the keys that are not the editor's own. Returns the way to stop. */
export function listenForKeys(tui: TUI, actions: KeyActions): () => void {
  let armed: Armed;
  const arm = (next: Armed, hint: string): void => {
    armed = next;
    actions.screen.hint(hint);
  };
  return tui.addInputListener((data) => {
    if (isKeyRelease(data)) return undefined;
    const before = armed;
    if (before) arm(undefined, "");
    const isTaken = takeKey(data, before, { ...actions, arm });
    return isTaken ? { consume: true } : undefined;
  });
}

interface KeyContext extends KeyActions {
  arm: (next: Armed, hint: string) => void;
}

/** Returns true for a key that the editor and the dialogs must not see. */
function takeKey(data: string, armed: Armed, context: KeyContext): boolean {
  const { session, screen } = context;
  if (matchesKey(data, "ctrl+c")) return interrupt(armed, context);
  if (matchesKey(data, "ctrl+l")) {
    screen.tui.requestRender(true);
    return true;
  }
  if (matchesKey(data, "ctrl+o")) {
    screen.transcript.toggleDetails();
    screen.draw();
    return true;
  }
  if (screen.hasDialog) return false;
  if (matchesKey(data, "ctrl+d") && screen.editor.getText() === "") {
    context.leave();
    return true;
  }
  if (matchesKey(data, "escape")) return escape(armed, context);
  if (matchesKey(data, "ctrl+s") || matchesKey(data, "ctrl+enter")) return steer(context);
  if (matchesKey(data, "shift+tab")) {
    context.report(session.setPermissionMode(nextMode(session)));
    return true;
  }
  return matchesKey(data, "up") && takeBack(context);
}

/** Ctrl+C stops the turn, or else clears the prompt; pressed again, it leaves. */
function interrupt(armed: Armed, { session, screen, leave, arm }: KeyContext): boolean {
  if (armed === "leave") {
    leave();
    return true;
  }
  if (session.isExecuting()) session.abort({ keepQueue: true });
  else if (screen.hasDialog) screen.closeDialog();
  else screen.editor.setText("");
  arm("leave", "Ctrl+C again to leave");
  return true;
}

/** Esc stops the turn, once menus are closed. Pressed twice at an empty prompt, it opens the rewind. */
function escape(armed: Armed, { session, screen, openRewind, arm }: KeyContext): boolean {
  if (screen.editor.isShowingAutocomplete()) return false;
  if (session.isExecuting()) session.abort({ keepQueue: true });
  else if (screen.editor.getText() !== "") arm(undefined, "Ctrl+C clears the prompt");
  else if (armed === "rewind") openRewind();
  else arm("rewind", "Esc again to rewind");
  return true;
}

/** Gives the running turn the text of the prompt as another message. */
function steer({ session, screen, report }: KeyContext): boolean {
  const text = screen.editor.getExpandedText().trim();
  if (text === "" || text.startsWith("/")) return true;
  screen.editor.setText("");
  screen.editor.addToHistory(text);
  report(session.steer(text));
  return true;
}

/** At an empty prompt, takes the last waiting prompt back for editing. */
function takeBack({ session, screen, report }: KeyContext): boolean {
  const last = session.queue.list().at(-1);
  if (!last || screen.editor.getText() !== "") return false;
  screen.editor.setText(last.displayText ?? last.text);
  report(session.queue.remove(last.id));
  return true;
}

/** The mode after the present one. The one that asks nothing is chosen by its name alone. */
function nextMode(session: ClientSession): (typeof PERMISSION_MODES)[number] {
  const modes = PERMISSION_MODES.filter((mode) => mode !== "bypassPermissions");
  return (
    modes[(modes.indexOf(session.getPermissionMode() as "plan") + 1) % modes.length] ?? "default"
  );
}

const KEYS = [
  ["Enter", "send, or queue while a turn runs"],
  ["Shift+Enter, Ctrl+J", "new line"],
  ["Ctrl+S", "steer the running turn"],
  ["Esc", "stop the turn"],
  ["Esc Esc", "rewind to an earlier turn"],
  ["Ctrl+C Ctrl+C", "leave"],
  ["↑ ↓", "earlier prompts, or one that waits"],
  ["Shift+Tab", "next permission mode"],
  ["Tab", "complete /commands and @files"],
  ["Ctrl+O", "outputs in full or in brief"],
  ["Ctrl+L", "draw the screen again"],
  ["Ctrl+D", "leave at an empty prompt"],
] as const;

/** The output of `/keys`. */
export function keysHelp({ dim }: Theme): Component {
  const widest = Math.max(...KEYS.map(([key]) => key.length));
  return new HangingText(
    KEYS.map(([key, effect]) => ({ head: dim(key.padEnd(widest + 2)), body: dim(effect) })),
  );
}
