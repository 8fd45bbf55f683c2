// Parts that an empty page does without. They load on demand, and those of a conversation with the first key or touch.
import { lazy } from "react";

const loadApprovals = () => import("./approval/approval-dock.tsx");
const loadFiles = () => import("./files/file-view.tsx");
const loadWorkspaces = () => import("./workspaces/workspaces-dialog.tsx");
const loadTurns = () => import("./chat/turn-view.tsx");

export const AgentsRegion = lazy(async () => ({
  default: (await import("./agents/agents-region.tsx")).AgentsRegion,
}));
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
export const PhoneTabs = lazy(async () => ({
  default: (await import("./layout/phone-tabs.tsx")).PhoneTabs,
}));
export const Queue = lazy(async () => ({ default: (await import("./chat/queue.tsx")).Queue }));
export const SessionRows = lazy(async () => ({
  default: (await import("./sessions/session-rows.tsx")).SessionRows,
}));
export const ProblemToast = lazy(async () => ({
  default: (await import("./layout/toast.tsx")).ProblemToast,
}));
export const UndoToast = lazy(async () => ({
  default: (await import("./layout/toast.tsx")).UndoToast,
}));
export const SettingsPanel = lazy(async () => ({
  default: (await import("./layout/settings-panel.tsx")).SettingsPanel,
}));

export const WorkspacesDialog = lazy(async () => ({
  default: (await loadWorkspaces()).WorkspacesDialog,
}));

/** Loads the import of dropped files, and the dialog with its progress. */
export async function loadDropping() {
  const [bringing] = await Promise.all([import("./workspaces/bring-in.ts"), loadWorkspaces()]);
  return bringing;
}

/** A failed preload is retried on use. */
export function loadConversation(): void {
  for (const load of [loadTurns, loadApprovals]) load().catch(() => undefined);
}
