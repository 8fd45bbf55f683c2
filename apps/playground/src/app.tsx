import { useReadable } from "@robota/react";
import { type CSSProperties, useState } from "react";
import { Chat } from "./chat/chat.tsx";
import { OpenDialog } from "./layout/dialogs.tsx";
import { Header } from "./layout/header.tsx";
import { SidePanel } from "./layout/side-panel.tsx";
import { SkipLink } from "./layout/skip-link.tsx";
import { useShortcuts } from "./layout/use-shortcuts.ts";
import { inFront, openPath } from "./layout/view.ts";
import { FailedSession, ProblemToast, UndoToast, UpdateToast } from "./lazy.ts";
import { OpenPath } from "./markdown/open-path.ts";
import { SessionList } from "./sessions/session-list.tsx";
import { WatchedChat } from "./sessions/watched-chat.tsx";
import { PageContext, useCurrentSession, usePage } from "./state/page-context.ts";
import type { PageState } from "./state/page-state.ts";
import { panelWidth, sessionsOpen } from "./state/preferences.ts";
import { Announcer } from "./ui/announcer.tsx";
import { lazyPart } from "./ui/lazy-part.tsx";
import { RegionBoundary } from "./ui/region-boundary.tsx";
import { NARROW, PHONE, useMedia } from "./ui/use-media.ts";
import "./app.css";

const PhoneTabs = lazyPart(async () => (await import("./layout/phone-tabs.tsx")).PhoneTabs);

/** The whole page. */
export function App({ page }: { page: PageState }) {
  useShortcuts(page);
  return (
    <PageContext value={page}>
      <OpenPath value={openPath}>
        <Regions />
      </OpenPath>
    </PageContext>
  );
}

/** The regions of the page. Each fails on its own. */
function Regions() {
  const phone = useMedia(PHONE);
  const narrow = useMedia(NARROW);
  const front = useReadable(inFront);
  const width = useReadable(panelWidth);
  const sessionsShown = useReadable(sessionsOpen) && !narrow;
  return (
    <div
      data-part="app"
      data-view={front === "chat" ? "chat" : "panel"}
      style={{ "--panel-width": `${width}px` } as CSSProperties}
    >
      <SkipLink />
      <Header />
      {sessionsShown && (
        <nav data-part="sidebar" data-region aria-label="Sessions" tabIndex={-1}>
          <SessionList />
        </nav>
      )}
      <Conversation />
      <SidePanel />
      {phone && (
        <RegionBoundary name="The tabs">
          <PhoneTabs />
        </RegionBoundary>
      )}
      <Toasts />
      <OpenDialog />
      <Announcer />
    </div>
  );
}

/** The session's conversation, or why there is none. */
function Conversation() {
  const { phase } = useCurrentSession();
  if (phase.kind === "watching") return <WatchedChat key={phase.session.sessionId} />;
  if (phase.kind !== "failed") return <Chat key={phase.opening} opened={phase.opened} />;
  return (
    <main data-part="failed">
      <RegionBoundary name="This session">
        <FailedSession error={phase.error} sessionId={phase.sessionId} server={phase.server} />
      </RegionBoundary>
    </main>
  );
}

function Toasts() {
  const page = usePage();
  const deletion = useReadable(page.deletion);
  const problem = useReadable(page.problem);
  // Only a page that a service worker controls can be behind its own new version.
  const [isUpdatable] = useState(() => navigator.serviceWorker?.controller != null);
  return (
    <div data-part="toasts">
      <RegionBoundary name="A notice">
        {isUpdatable && <UpdateToast />}
        {problem && <ProblemToast {...problem} onDismiss={() => page.dismissProblem()} />}
        {deletion && <UndoToast title={deletion.title} onUndo={() => void page.undoRemove()} />}
      </RegionBoundary>
    </div>
  );
}
