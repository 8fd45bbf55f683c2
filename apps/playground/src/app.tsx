import { type CSSProperties, Suspense, useRef, useState } from "react";
import { Chat } from "./chat/chat.tsx";
import { MODEL_NAME, MODEL_NOTE, WORKSPACE_ROOT } from "./constants.ts";
import { FailedSession, KeyboardMap } from "./lazy.ts";
import { OpenPath } from "./markdown/open-path.ts";
import { SessionList } from "./sessions/session-list.tsx";
import { sessionTitle } from "./sessions/session-title.ts";
import { Header } from "./layout/header.tsx";
import { type PhoneTab, PhoneTabs } from "./layout/phone-tabs.tsx";
import { type PanelTab, SidePanel } from "./layout/side-panel.tsx";
import { ProblemToast, UndoToast } from "./layout/toast.tsx";
import { useShortcuts } from "./layout/use-shortcuts.ts";
import { useCell } from "./state/cell.ts";
import { hasEstimates, runningTurn } from "./state/conversation.ts";
import { panelOpen, panelWidth, sessionsOpen } from "./state/preferences.ts";
import { noConversation } from "./state/session-store.ts";
import type { PageState } from "./state/page-state.ts";
import { Announcer } from "./ui/announcer.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { NARROW, PHONE, useMedia } from "./ui/use-media.ts";
import "./app.css";

/** The whole page. */
export function App({ page }: { page: PageState }) {
  const phase = useCell(page.phase);
  const host = useCell(page.host);
  const sessions = useCell(page.sessions);
  const filesRevision = useCell(page.filesRevision);
  const session = phase.kind === "ready" ? phase.session : undefined;
  // A session that nobody wrote in is not kept, and its draft is that of the next new one.
  const savedId = session?.isNew ? undefined : session?.id;
  const conversation = useCell(session?.conversation ?? noConversation);

  const phone = useMedia(PHONE);
  const narrow = useMedia(NARROW);
  const sessionsShown = useCell(sessionsOpen);
  const panelShown = useCell(panelOpen);
  const width = useCell(panelWidth);
  const [drawer, setDrawer] = useState(false);
  const [map, setMap] = useState(false);
  const [panelTab, setPanelTab] = useState<PanelTab>("files");
  const [onChat, setOnChat] = useState(true);
  const [path, setPath] = useState<string>();
  const dock = useRef<HTMLElement>(null);

  const toggleSessions = () => (narrow ? setDrawer(!drawer) : sessionsOpen.set(!sessionsShown));
  const jumpToRequest = () => dock.current?.querySelector("h2")?.focus();

  function showPanel(tab: PanelTab) {
    setPanelTab(tab);
    setOnChat(false);
    panelOpen.set(true);
  }

  function openPath(linked: string) {
    const absolute = linked.startsWith(`${WORKSPACE_ROOT}/`)
      ? linked
      : `${WORKSPACE_ROOT}${linked}`;
    setPath(absolute);
    showPanel("files");
  }

  function selectPhoneTab(tab: PhoneTab) {
    if (tab === "chat") setOnChat(true);
    else showPanel(tab);
  }

  useShortcuts({
    onStop: () => runningTurn(conversation) && session?.stop(),
    onJumpToRequest: jumpToRequest,
    onSessions: toggleSessions,
    onPanel: () => panelOpen.set(!panelShown),
    onKeyboardMap: () => setMap(true),
  });

  const current = sessions.find(({ id }) => id === session?.id);
  const title = conversation.name || (current ? sessionTitle(current) : "New session");
  const sessionList = (
    <Sessions page={page} currentId={session?.id} onDone={() => setDrawer(false)} />
  );

  return (
    <OpenPath value={openPath}>
      <div
        data-part="app"
        data-view={onChat ? "chat" : "panel"}
        data-sessions={(sessionsShown && !narrow) || undefined}
        data-panel={panelShown || phone || undefined}
        style={{ "--panel-width": `${width}px` } as CSSProperties}
      >
        <Header
          title={title}
          context={session && conversation.context}
          estimated={hasEstimates(conversation)}
          narrow={narrow}
          phone={phone}
          sessionsShown={sessionsShown}
          panelShown={panelShown}
          onSessions={toggleSessions}
          onPanel={() => panelOpen.set(!panelShown)}
          onKeyboardMap={() => setMap(true)}
        />
        {sessionsShown && !narrow && (
          <nav data-part="sidebar" data-region aria-label="Sessions" tabIndex={-1}>
            {sessionList}
          </nav>
        )}
        {phase.kind === "failed" ? (
          <main data-part="failed">
            <Suspense>
              <FailedSession
                error={phase.error}
                onRetry={() => void page.open(phase.sessionId)}
                onTakeOver={() => void page.open(phase.sessionId, { takeOver: true })}
                onNew={() => void page.open()}
              />
            </Suspense>
          </main>
        ) : (
          <Chat
            key={phase.opening}
            session={session}
            opened={phase.opened}
            draftId={(phase.kind === "opening" ? phase.sessionId : savedId) ?? "new"}
            conversation={conversation}
            byline={`${MODEL_NAME} — ${MODEL_NOTE}`}
            autoFocus={!phone}
            dock={dock}
            onJumpToRequest={jumpToRequest}
            onProblem={(error) => page.reportProblem(error)}
          />
        )}
        {(panelShown || phone) && (
          <SidePanel
            host={host}
            page={page}
            root={WORKSPACE_ROOT}
            filesRevision={filesRevision}
            session={session}
            timeline={conversation.timeline}
            tab={panelTab}
            onTab={showPanel}
            path={path}
            onPath={setPath}
          />
        )}
        {phone && <PhoneTabs selected={onChat ? "chat" : panelTab} onSelect={selectPhoneTab} />}
        <Toasts page={page} />
        {drawer && narrow && (
          <Dialog title="Sessions" shape="drawer" onClose={() => setDrawer(false)}>
            {sessionList}
          </Dialog>
        )}
        {map && (
          <Suspense>
            <KeyboardMap onClose={() => setMap(false)} />
          </Suspense>
        )}
        <Announcer />
      </div>
    </OpenPath>
  );
}

interface SessionsProps {
  page: PageState;
  currentId: string | undefined;
  /** Called when another session was chosen. */
  onDone: () => void;
}

function Sessions({ page, currentId, onDone }: SessionsProps) {
  const report = (error: unknown) => page.reportProblem(error);
  return (
    <SessionList
      sessions={useCell(page.sessions)}
      activity={useCell(page.activity)}
      currentId={currentId}
      onOpen={(id) => {
        onDone();
        if (id !== currentId) void page.open(id);
      }}
      onNew={() => {
        onDone();
        void page.open();
      }}
      onRename={(id, name) => void page.rename(id, name).catch(report)}
      onRemove={(header, title) => void page.remove(header, title).catch(report)}
    />
  );
}

function Toasts({ page }: { page: PageState }) {
  const deletion = useCell(page.deletion);
  const problem = useCell(page.problem);
  return (
    <div data-part="toasts">
      {problem && <ProblemToast text={problem} onDismiss={() => page.dismissProblem()} />}
      {deletion && <UndoToast title={deletion.title} onUndo={() => void page.undoRemove()} />}
    </div>
  );
}
