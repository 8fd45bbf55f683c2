import { FolderTree, type LucideIcon, ScrollText } from "lucide-react";
import type { ComponentType } from "react";
import { ChangesBadge } from "../changes/changes-badge.tsx";
import { FilesPanel } from "../files/files-panel.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { PanelRegionId } from "./view.ts";

/** All of the inspector in one file: whoever opens one panel looks at others, too. */
const inspector = () => import("../inspector/panels.ts");

/** The regions beside the conversation. Each shows one of its panels at a time. */
export const panelRegions = [
  { id: "workspace", label: "Workspace", short: "Files", icon: FolderTree, Actions: undefined },
  {
    id: "inspector",
    label: "Inspector",
    short: "Inspector",
    icon: ScrollText,
    Actions: lazyPart(async () => (await inspector()).InspectorActions),
  },
] as const satisfies readonly {
  id: PanelRegionId;
  label: string;
  /** On a phone's tab. */
  short: string;
  icon: LucideIcon;
  /** Beside the tabs. */
  Actions: ComponentType | undefined;
}[];

interface PanelShape {
  id: string;
  label: string;
  region: PanelRegionId;
  /** Gets no props: `usePage`, `useHost` and `useCurrentSession` have what it shows. */
  Panel: ComponentType;
  /** Beside the label of its tab. */
  Badge?: ComponentType;
}

/** Every panel, in the order of the tabs of its region. */
export const panels = [
  { id: "files", label: "Files", region: "workspace", Panel: FilesPanel },
  {
    id: "changes",
    label: "Changes",
    region: "workspace",
    Panel: lazyPart(async () => (await import("../changes/changes-panel.tsx")).ChangesPanel),
    Badge: ChangesBadge,
  },
  {
    id: "shell",
    label: "Shell",
    region: "workspace",
    Panel: lazyPart(async () => (await import("../shell/shell-panel.tsx")).ShellPanel),
  },
  {
    id: "events",
    label: "Events",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).EventsPanel),
  },
  {
    id: "requests",
    label: "Requests",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).RequestsPanel),
  },
  {
    id: "context",
    label: "Context",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).ContextPanel),
  },
  {
    id: "permissions",
    label: "Permissions",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).PermissionsPanel),
  },
  {
    id: "hooks",
    label: "Hooks",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).HooksPanel),
  },
  {
    id: "extensions",
    label: "Extensions",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).ExtensionsPanel),
  },
  {
    id: "settings",
    label: "Settings",
    region: "inspector",
    Panel: lazyPart(async () => (await inspector()).SettingsInspector),
  },
] as const satisfies readonly PanelShape[];

type Registered = Record<(typeof panels)[number]["id"], true>;
declare module "./view.ts" {
  interface Panels extends Registered {}
}
