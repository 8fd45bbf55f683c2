// What an empty page does without. It comes when something needs it, and all that a conversation needs with the first key or touch.
import { lazy } from "react";

const loadApprovals = () => import("./approval/approval-dock.tsx");
const loadFiles = () => import("./files/file-view.tsx");
const loadWorkspaces = () => import("./workspaces/workspaces-dialog.tsx");
const loadTurns = () => import("./chat/turn-view.tsx");

export const ApprovalDock = lazy(async () => ({ default: (await loadApprovals()).ApprovalDock }));
export const EventLog = lazy(async () => ({
  default: (await import("./log/event-log.tsx")).EventLog,
}));
export const FailedSession = lazy(async () => ({
  default: (await import("./layout/failed-session.tsx")).FailedSession,
}));
export const FileView = lazy(async () => ({ default: (await loadFiles()).FileView }));
export const TurnView = lazy(async () => ({ default: (await loadTurns()).TurnView }));
export const KeyboardMap = lazy(async () => ({
  default: (await import("./layout/keyboard-map.tsx")).KeyboardMap,
}));
export const SettingsPanel = lazy(async () => ({
  default: (await import("./layout/settings-panel.tsx")).SettingsPanel,
}));

export const WorkspacesDialog = lazy(async () => ({
  default: (await loadWorkspaces()).WorkspacesDialog,
}));

/** What takes dropped files, and the window that shows how it goes. */
export async function loadDropping() {
  const [bringing] = await Promise.all([import("./workspaces/bring-in.ts"), loadWorkspaces()]);
  return bringing;
}

/** What does not arrive now is asked for again when it is needed. */
export function loadConversation(): void {
  for (const load of [loadTurns, loadApprovals]) load().catch(() => undefined);
}
