import { runningTurn, sessionStore } from "@robota/react/store";
import { isSearching } from "../search/search-state.ts";
import type { PageState } from "../state/page-state.ts";
import type { Keys } from "./keys.ts";
import { openDialog } from "./open-dialog.ts";
import { focusNextRegion, focusTurn } from "./region-focus.ts";
import { jumpToRequest, showPanel, toggleRegion, toggleSessions } from "./view.ts";

/** Page-wide actions, reachable by keys and by name in the palette. */
export interface Action {
  id: string;
  /** Verb first. */
  label: string;
  group: "Session" | "Getting around";
  keys?: readonly Keys[];
  /** Works also while a dialog is open. */
  isGlobal?: boolean;
  /** Its keys are letters or signs that a person may be typing. */
  isTypeable?: boolean;
  /** Enabled when missing. */
  isEnabled?: (page: PageState) => boolean;
  run: (page: PageState) => void;
}

/** Every action, in the order of the keyboard map and of the palette. */
export const actions: readonly Action[] = [
  {
    id: "new-session",
    label: "New session",
    group: "Session",
    run: (page) => void page.open(),
  },
  {
    id: "stop",
    label: "Stop the turn",
    group: "Session",
    keys: ["Esc"],
    isEnabled: isRunning,
    run: (page) => currentSession(page)?.abort({ keepQueue: true }),
  },
  {
    id: "jump-to-request",
    label: "Go to the request for approval",
    group: "Session",
    keys: ["Alt+A"],
    isEnabled: (page) => requestsOf(page) > 0,
    run: jumpToRequest,
  },
  {
    id: "open-providers",
    label: "Choose a model",
    group: "Session",
    run: () => openDialog("providers"),
  },
  {
    id: "compare",
    label: "Compare two models or settings",
    group: "Session",
    isEnabled: (page) => page.phase.get().kind === "ready" && !isRunning(page),
    run: () => openDialog("compare"),
  },
  {
    id: "rewind",
    label: "Rewind to an earlier turn",
    group: "Session",
    keys: ["Esc Esc"],
    run: () => openDialog("rewind"),
  },
  {
    id: "replay",
    label: "Replay a session",
    group: "Session",
    run: () => openDialog("replay"),
  },
  {
    id: "show-permissions",
    label: "Show permissions",
    group: "Session",
    run: () => showPanel("inspector", "permissions"),
  },
  {
    id: "import",
    label: "Import a session",
    group: "Session",
    run: () => openDialog("import"),
  },
  {
    id: "connect",
    label: "Connect to a server",
    group: "Session",
    run: () => openDialog("connect"),
  },
  {
    id: "search",
    label: "Search the conversation",
    group: "Getting around",
    keys: ["Mod+Shift+F"],
    run: () => isSearching.set(true),
  },
  {
    id: "palette",
    label: "Find an action",
    group: "Getting around",
    keys: ["Mod+K"],
    run: () => openDialog("palette"),
  },
  {
    id: "next-region",
    label: "Next region",
    group: "Getting around",
    keys: ["F6"],
    isGlobal: true,
    run: () => focusNextRegion(false),
  },
  {
    id: "previous-region",
    label: "Previous region",
    group: "Getting around",
    keys: ["Shift+F6"],
    isGlobal: true,
    run: () => focusNextRegion(true),
  },
  {
    id: "previous-turn",
    label: "Previous turn",
    group: "Getting around",
    keys: ["Alt+↑"],
    run: () => focusTurn(-1),
  },
  {
    id: "next-turn",
    label: "Next turn",
    group: "Getting around",
    keys: ["Alt+↓"],
    run: () => focusTurn(1),
  },
  {
    id: "sessions",
    label: "Show or hide sessions",
    group: "Getting around",
    keys: ["Mod+B"],
    run: toggleSessions,
  },
  {
    id: "workspace",
    label: "Show or hide the workspace",
    group: "Getting around",
    keys: ["Mod+J"],
    run: () => toggleRegion("workspace"),
  },
  {
    id: "inspector",
    label: "Show or hide the inspector",
    group: "Getting around",
    keys: ["Mod+Shift+E"],
    run: () => toggleRegion("inspector"),
  },
  {
    id: "keyboard-map",
    label: "Show keyboard shortcuts",
    group: "Getting around",
    keys: ["?", "Mod+/"],
    isGlobal: true,
    isTypeable: true,
    run: () => openDialog("keyboard-map"),
  },
];

function currentSession(page: PageState) {
  const phase = page.phase.get();
  return phase.kind === "ready" || phase.kind === "remote" ? phase.session : undefined;
}

function isRunning(page: PageState): boolean {
  const session = currentSession(page);
  return session !== undefined && runningTurn(sessionStore(session).get()) !== undefined;
}

function requestsOf(page: PageState): number {
  const session = currentSession(page);
  return session ? sessionStore(session).get().requests.length : 0;
}
