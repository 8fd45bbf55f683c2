// Parts that an empty page does without. They load on demand, and those of a conversation with the first key or touch.
// Panels and dialogs are in `layout/panels.ts` and `layout/dialogs.tsx`.
import { lazyPart } from "./ui/lazy-part.tsx";

const loadToasts = () => import("./layout/toast.tsx");
const loadWorkspaces = () => import("./workspaces/workspaces-dialog.tsx");

export const AgentsRegion = lazyPart(
  async () => (await import("./agents/agents-region.tsx")).AgentsRegion,
);
export const ApprovalDock = lazyPart(
  async () => (await import("./approval/approval-dock.tsx")).ApprovalDock,
);
export const AttachmentChips = lazyPart(
  async () => (await import("./chat/attachments/attachment-chips.tsx")).AttachmentChips,
);
export const DividerView = lazyPart(
  async () => (await import("./chat/turns/divider-view.tsx")).DividerView,
);
export const FailedSession = lazyPart(
  async () => (await import("./layout/failed-session.tsx")).FailedSession,
);
export const FileView = lazyPart(async () => (await import("./files/file-view.tsx")).FileView);
export const FileEditor = lazyPart(
  async () => (await import("./editor/file-editor.tsx")).FileEditor,
);
export const PreviewView = lazyPart(
  async () => (await import("./preview/preview-view.tsx")).PreviewView,
);
export const FileToolbar = lazyPart(
  async () => (await import("./files/file-toolbar.tsx")).FileToolbar,
);
export const TurnSummary = lazyPart(
  async () => (await import("./changes/turn-summary.tsx")).TurnSummary,
);
export const TurnView = lazyPart(async () => (await import("./chat/turns/turn-view.tsx")).TurnView);
export const NextSteps = lazyPart(
  async () => (await import("./chat/turns/next-steps.tsx")).NextSteps,
);
export const Waiting = lazyPart(async () => (await import("./chat/queue/waiting.tsx")).Waiting);
export const SearchBar = lazyPart(async () => (await import("./search/search-bar.tsx")).SearchBar);
export const SessionRows = lazyPart(
  async () => (await import("./sessions/session-rows.tsx")).SessionRows,
);
export const ProblemToast = lazyPart(async () => (await loadToasts()).ProblemToast);
export const UpdateToast = lazyPart(async () => (await loadToasts()).UpdateToast);
export const UndoToast = lazyPart(async () => (await loadToasts()).UndoToast);
export const WatchBanner = lazyPart(
  async () => (await import("./sessions/watch-banner.tsx")).WatchBanner,
);
export const CutBanner = lazyPart(
  async () => (await import("./sessions/cut-banner.tsx")).CutBanner,
);
export const ReadingPlace = lazyPart(
  async () => (await import("./chat/turns/reading-place.tsx")).ReadingPlace,
);
export const ServerSessions = lazyPart(
  async () => (await import("./remote/server-sessions.tsx")).ServerSessions,
);
export const MovedBanner = lazyPart(
  async () => (await import("./remote/moved-banner.tsx")).MovedBanner,
);
export const RemoteEmpty = lazyPart(
  async () => (await import("./remote/remote-empty.tsx")).RemoteEmpty,
);
export const SettingsPanel = lazyPart(
  async () => (await import("./layout/settings-panel.tsx")).SettingsPanel,
);
export const WorkspacesDialog = lazyPart(async () => (await loadWorkspaces()).WorkspacesDialog);

/** Loads the import of dropped files, and the dialog with its progress. */
export async function loadDropping() {
  const [bringing] = await Promise.all([import("./workspaces/bring-in.ts"), loadWorkspaces()]);
  return bringing;
}

/** A failed preload is retried on use. */
export function loadConversation(): void {
  for (const part of [TurnView, ApprovalDock]) part.preload().catch(() => undefined);
}
