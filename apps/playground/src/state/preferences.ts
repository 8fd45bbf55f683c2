import { type Cell, createCell } from "@robota/react/store";
import { DEFAULT_NAME, workspaceId } from "./current-workspace.ts";

/**
 * A persistent cell. Without storage (a private window, a full disk) it lasts as long as the page.
 * @param isShared follows other tabs, as a value must that is changed piece by piece: a tab would undo what others added
 */
export function createStoredCell<T>(
  key: string,
  initial: T,
  isValid: (value: unknown) => value is T,
  isShared = false,
): Cell<T> {
  const read = (): T => {
    const stored = readStored(key);
    return isValid(stored) ? stored : initial;
  };
  const cell = createCell(read());
  if (isShared) addEventListener("storage", (event) => event.key === key && cell.set(read()));
  return {
    ...cell,
    set(next) {
      cell.set(next);
      writeStored(key, next);
    },
  };
}

type StorageArea = "localStorage" | "sessionStorage";

export function readStored(key: string, area: StorageArea = "localStorage"): unknown {
  try {
    return JSON.parse(globalThis[area].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: unknown, area: StorageArea = "localStorage"): void {
  try {
    if (value === undefined || value === "") globalThis[area].removeItem(key);
    else globalThis[area].setItem(key, JSON.stringify(value));
  } catch {
    // Preferences and drafts are conveniences: losing one must not stop the page.
  }
}

export type Theme = "system" | "light" | "dark";
const themes: readonly unknown[] = ["system", "light", "dark"];

export const theme = createStoredCell<Theme>("robota.theme", "system", (value): value is Theme =>
  themes.includes(value),
);

theme.subscribe(() => {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
});

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Lets screen readers read finished replies aloud. */
export const announceReplies = createStoredCell("robota.announce-replies", true, isBoolean);
export const sessionsOpen = createStoredCell("robota.sessions-open", true, isBoolean);
export const panelOpen = createStoredCell("robota.panel-open", true, isBoolean);
export const inspectorOpen = createStoredCell("robota.inspector-open", false, isBoolean);
const isText = (value: unknown): value is string => typeof value === "string";

/** Last known name of this tab's workspace: the list loads later. */
export const workspaceName = createStoredCell(
  `robota.workspace-name.${workspaceId}`,
  DEFAULT_NAME,
  isText,
);
/** Width in CSS pixels. */
export const panelWidth = createStoredCell(
  "robota.panel-width",
  400,
  (value): value is number => typeof value === "number" && value >= 260 && value <= 900,
);

const draftKey = (sessionId: string): string => `robota.draft.${sessionId}`;

/** The unsent draft. Empty sessions share the draft of `new`, which each tab has for itself. */
export function readDraft(sessionId: string): string {
  const draft = readStored(draftKey(sessionId), draftsOf(sessionId));
  return typeof draft === "string" ? draft : "";
}

export function writeDraft(sessionId: string, text: string): void {
  writeStored(draftKey(sessionId), text, draftsOf(sessionId));
}

function draftsOf(sessionId: string): StorageArea {
  return sessionId === "new" ? "sessionStorage" : "localStorage";
}

/** Key of the person's own settings; `own-settings.ts` changes them. */
export const OWN_SETTINGS_KEY = "robota.settings";

/** The person's own settings for sessions of this browser; `undefined` without any, which most people have. */
export function ownSettingsNow(): Readonly<Record<string, unknown>> | undefined {
  const stored = readStored(OWN_SETTINGS_KEY);
  return typeof stored === "object" && stored !== null && !Array.isArray(stored)
    ? { ...stored }
    : undefined;
}
