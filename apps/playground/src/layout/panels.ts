import { FolderTree, type LucideIcon, ScrollText } from "lucide-react";
import type { ComponentType } from "react";
import { FilesPanel } from "../files/files-panel.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { PanelRegionId } from "./view.ts";

/** The regions beside the conversation. Each shows one of its panels at a time. */
export const panelRegions = [
  { id: "workspace", label: "Workspace", short: "Files", icon: FolderTree },
  { id: "inspector", label: "Inspector", short: "Inspector", icon: ScrollText },
] as const satisfies readonly {
  id: PanelRegionId;
  label: string;
  /** On a phone's tab. */
  short: string;
  icon: LucideIcon;
}[];

interface PanelShape {
  id: string;
  label: string;
  region: PanelRegionId;
  /** Gets no props: `usePage`, `useHost` and `useCurrentSession` have what it shows. */
  Panel: ComponentType;
}

/** Every panel, in the order of the tabs of its region. */
export const panels = [
  { id: "files", label: "Files", region: "workspace", Panel: FilesPanel },
  {
    id: "events",
    label: "Events",
    region: "inspector",
    Panel: lazyPart(async () => (await import("../log/event-log.tsx")).EventLog),
  },
] as const satisfies readonly PanelShape[];

type Registered = Record<(typeof panels)[number]["id"], true>;
declare module "./view.ts" {
  interface Panels extends Registered {}
}
