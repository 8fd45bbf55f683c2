// The visible parts of the page: what a person opened, chose and closed.
import { createCell } from "@robota/react/store";
import { WORKSPACE_ROOT } from "../constants.ts";
import { createStoredCell, inspectorOpen, panelOpen, sessionsOpen } from "../state/preferences.ts";
import { NARROW } from "../ui/use-media.ts";
import { closeDialog, openDialog, openedDialog } from "./open-dialog.ts";

/** A region beside the conversation. */
export type PanelRegionId = "workspace" | "inspector";

/** The panels by their ids; `panels.ts` declares them, so that this file needs none of them. */
// oxlint-disable-next-line typescript/no-empty-object-type -- declared there
export interface Panels {}

export type PanelId = keyof Panels;

/** The region that a phone shows. */
export const inFront = createCell<"chat" | PanelRegionId>("chat");
/** The file that the workspace shows. */
export const shownPath = createCell<string | undefined>(undefined);

const isText = (value: unknown): value is string => typeof value === "string";

/** The id of the panel that each region shows; another text shows its first one. */
export const chosenPanel: Readonly<
  Record<PanelRegionId, ReturnType<typeof createStoredCell<string>>>
> = {
  workspace: createStoredCell("robota.panel.workspace", "", isText),
  inspector: createStoredCell("robota.panel.inspector", "", isText),
};

const isOpen = { workspace: panelOpen, inspector: inspectorOpen };

/** Brings a panel to the front, and opens its region. */
export function showPanel(region: PanelRegionId, id: PanelId): void {
  chosenPanel[region].set(id);
  showRegion(region);
}

/** Opens a region, with the panel that was chosen last. */
export function showRegion(region: PanelRegionId): void {
  isOpen[region].set(true);
  inFront.set(region);
}

export function toggleRegion(region: PanelRegionId): void {
  isOpen[region].set(!isOpen[region].get());
  inFront.set(inFront.get() === region ? "chat" : region);
}

/** Shows or hides the list of sessions: a drawer where it has no room beside the conversation. */
export function toggleSessions(): void {
  if (!matchMedia(NARROW).matches) sessionsOpen.set(!sessionsOpen.get());
  else if (openedDialog.get()?.id === "sessions") closeDialog();
  else openDialog("sessions");
}

/** Shows a file of the workspace. */
export function openPath(linked: string): void {
  shownPath.set(linked.startsWith(`${WORKSPACE_ROOT}/`) ? linked : `${WORKSPACE_ROOT}${linked}`);
  showPanel("workspace", "files");
}

/** Moves the focus to the message, or to the request that a phone shows in its place. */
export function jumpToMessage(): void {
  const box = document.querySelector<HTMLElement>("[data-part=composer] textarea");
  if (box?.checkVisibility()) box.focus();
  else jumpToRequest();
}

/** Moves the focus to the request for approval, if there is one. */
export function jumpToRequest(): void {
  document.querySelector<HTMLElement>("[data-part=approval-dock] h2")?.focus();
}
