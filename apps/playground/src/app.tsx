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
import type { Workspace } from "./state/workspace.ts";
import { Announcer } from "./ui/announcer.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { NARROW, PHONE, useMedia } from "./ui/use-media.ts";
import "./app.css";

/** The whole page. */
export function App({ workspace }: { workspace: Workspace }) {
  const phase = useCell(workspace.phase);
  const host = useCell(workspace.host);
  const sessions = useCell(workspace.sessions);
  const filesRevision = useCell(workspace.filesRevision);
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
    <Sessions workspace={workspace} currentId={session?.id} onDone={() => setDrawer(false)} />
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
                onRetry={() => void workspace.open(phase.sessionId)}
                onTakeOver={() => void workspace.open(phase.sessionId, { takeOver: true })}
                onNew={() => void workspace.open()}
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
            onProblem={(error) => workspace.reportProblem(error)}
          />
        )}
        {(panelShown || phone) && (
          <SidePanel
            host={host}
            page={workspace}
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
        <Toasts workspace={workspace} />
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
  workspace: Workspace;
  currentId: string | undefined;
  /** Called when another session was chosen. */
  onDone: () => void;
}

function Sessions({ workspace, currentId, onDone }: SessionsProps) {
  const report = (error: unknown) => workspace.reportProblem(error);
  return (
    <SessionList
      sessions={useCell(workspace.sessions)}
      activity={useCell(workspace.activity)}
      currentId={currentId}
      onOpen={(id) => {
        onDone();
        if (id !== currentId) void workspace.open(id);
      }}
      onNew={() => {
        onDone();
        void workspace.open();
      }}
      onRename={(id, name) => void workspace.rename(id, name).catch(report)}
      onRemove={(header, title) => void workspace.remove(header, title).catch(report)}
    />
  );
}

function Toasts({ workspace }: { workspace: Workspace }) {
  const deletion = useCell(workspace.deletion);
  const problem = useCell(workspace.problem);
  return (
    <div data-part="toasts">
      {problem && <ProblemToast text={problem} onDismiss={() => workspace.dismissProblem()} />}
      {deletion && <UndoToast title={deletion.title} onUndo={() => void workspace.undoRemove()} />}
    </div>
  );
}
