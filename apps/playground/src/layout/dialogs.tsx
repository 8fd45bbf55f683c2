import { useReadable } from "@robota/react";
import { type ComponentType, Suspense, useLayoutEffect } from "react";
import { WorkspacesDialog } from "../lazy.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { closeDialog, holdKeys, openedDialog } from "./open-dialog.ts";

/** Every dialog of the page by its id. `openDialog(id, props)` opens one; it renders a `Dialog` and gets `onClose`. */
const dialogs = {
  sessions: lazyPart(async () => (await import("../sessions/sessions-drawer.tsx")).SessionsDrawer),
  "keyboard-map": lazyPart(async () => (await import("./keyboard-map.tsx")).KeyboardMap),
  providers: lazyPart(
    async () => (await import("../connections/sheet/providers-sheet.tsx")).ProvidersSheet,
  ),
  compare: lazyPart(async () => (await import("../compare/compare-dialog.tsx")).CompareDialog),
  rewind: lazyPart(async () => (await import("../rewind/rewind-dialog.tsx")).RewindDialog),
  replay: lazyPart(async () => (await import("../replay/replay-dialog.tsx")).ReplayDialog),
  connect: lazyPart(async () => (await import("../remote/connect-dialog.tsx")).ConnectDialog),
  move: lazyPart(async () => (await import("../remote/move-dialog.tsx")).MoveDialog),
  import: lazyPart(
    async () => (await import("../inspector/transfer/import-dialog.tsx")).ImportDialog,
  ),
  "session-link": lazyPart(
    async () => (await import("../inspector/transfer/link-dialog.tsx")).LinkDialog,
  ),
  workspaces: WorkspacesDialog,
  palette: lazyPart(async () => (await import("./palette.tsx")).Palette),
};

type Registered = typeof dialogs;
declare module "./open-dialog.ts" {
  interface Dialogs extends Registered {}
}

/** The dialog that is open. */
export function OpenDialog() {
  const opened = useReadable(openedDialog);
  if (!opened) return null;
  // `openDialog` has checked that the props belong to the id.
  const Opened = dialogs[opened.id] as ComponentType<{ onClose: () => void }>;
  return (
    <RegionBoundary key={opened.id} name="This window">
      <Suspense fallback={<Awaited />}>
        <Opened {...opened.props} onClose={closeDialog} />
      </Suspense>
    </RegionBoundary>
  );
}

/** A dialog whose code is still to come: what is typed for it must not reach the message box. */
function Awaited() {
  useLayoutEffect(holdKeys, []);
  return null;
}
