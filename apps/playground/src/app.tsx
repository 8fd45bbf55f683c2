import { type CSSProperties, type ReactNode, Suspense, useRef } from "react";
import { Chat } from "./chat/chat.tsx";
import { MODEL_NAME, MODEL_NOTE, WORKSPACE_ROOT } from "./constants.ts";
import { FailedSession, KeyboardMap, PhoneTabs, ProblemToast, UndoToast } from "./lazy.ts";
import { OpenPath } from "./markdown/open-path.ts";
import { SessionList } from "./sessions/session-list.tsx";
import { sessionTitle } from "./sessions/session-title.ts";
import { Header } from "./layout/header.tsx";
import { SidePanel } from "./layout/side-panel.tsx";
import { useShortcuts } from "./layout/use-shortcuts.ts";
import { useView, type View } from "./layout/use-view.ts";
import { useReadable, useSession } from "@robota/react";
import { isNew, type PageState, type WorkspacePhase } from "./state/page-state.ts";
import { Announcer } from "./ui/announcer.tsx";
import { Dialog } from "./ui/dialog.tsx";
import "./app.css";

/** The whole page. */
export function App({ page }: { page: PageState }) {
  const host = useReadable(page.host);
  const filesRevision = useReadable(page.filesRevision);
  const { phase, session, isRunning, title, draftId } = useOpenSession(page);
  const view = useView();
  const { phone, narrow, sessionsShown, panelShown, toggleSessions, togglePanel } = view;
  const dock = useRef<HTMLElement>(null);
  const jumpToRequest = () => dock.current?.querySelector("h2")?.focus();

  useShortcuts({
    onStop: () => isRunning && session?.abort(),
    onJumpToRequest: jumpToRequest,
    onSessions: toggleSessions,
    onPanel: togglePanel,
    onKeyboardMap: view.showMap,
  });

  const sessionList = (
    <Sessions page={page} currentId={session?.sessionId} onDone={view.closeDrawer} />
  );

  return (
    <OpenPath value={view.openPath}>
      <div
        data-part="app"
        data-view={view.onChat ? "chat" : "panel"}
        data-sessions={(sessionsShown && !narrow) || undefined}
        data-panel={panelShown || phone || undefined}
        style={{ "--panel-width": `${view.width}px` } as CSSProperties}
      >
        <Header
          title={title}
          session={session}
          narrow={narrow}
          phone={phone}
          sessionsShown={sessionsShown}
          panelShown={panelShown}
          onSessions={toggleSessions}
          onPanel={togglePanel}
          onKeyboardMap={view.showMap}
        />
        {sessionsShown && !narrow && (
          <nav data-part="sidebar" data-region aria-label="Sessions" tabIndex={-1}>
            {sessionList}
          </nav>
        )}
        {phase.kind === "failed" ? (
          <Failed page={page} phase={phase} />
        ) : (
          <Chat
            key={phase.opening}
            session={session}
            opened={phase.opened}
            draftId={draftId}
            byline={`${MODEL_NAME} — ${MODEL_NOTE}`}
            autoFocus={!phone}
            dock={dock}
            onJumpToRequest={jumpToRequest}
            onOpen={(id) => void page.open(id)}
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
            tab={view.panelTab}
            onTab={view.showPanel}
            path={view.path}
            onPath={view.setPath}
          />
        )}
        <Overlays page={page} view={view} sessionList={sessionList} />
        <Announcer />
      </div>
    </OpenPath>
  );
}

function useOpenSession(page: PageState) {
  const phase = useReadable(page.phase);
  const sessions = useReadable(page.sessions);
  const session = phase.kind === "ready" ? phase.session : undefined;
  const { name, isRunning } = useSession(session);
  const current = sessions.find(({ id }) => id === session?.sessionId);
  const title = name || (current ? sessionTitle(current) : "New session");
  // An empty session is not kept, and its draft is that of the next new one.
  const savedId = session && isNew(session) ? undefined : session?.sessionId;
  const draftId = (phase.kind === "opening" ? phase.sessionId : savedId) ?? "new";
  return { phase, session, isRunning, title, draftId };
}

interface OverlaysProps {
  page: PageState;
  view: View;
  sessionList: ReactNode;
}

/** The page's overlays, and the tabs at its foot. */
function Overlays({ page, view, sessionList }: OverlaysProps) {
  return (
    <>
      {view.phone && (
        <Suspense>
          <PhoneTabs
            selected={view.onChat ? "chat" : view.panelTab}
            onSelect={view.selectPhoneTab}
          />
        </Suspense>
      )}
      <Toasts page={page} />
      {view.drawer && (
        <Dialog title="Sessions" shape="drawer" onClose={view.closeDrawer}>
          {sessionList}
        </Dialog>
      )}
      {view.map && (
        <Suspense>
          <KeyboardMap onClose={view.closeMap} />
        </Suspense>
      )}
    </>
  );
}

interface FailedProps {
  page: PageState;
  phase: Extract<WorkspacePhase, { kind: "failed" }>;
}

function Failed({ page, phase }: FailedProps) {
  return (
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
      sessions={useReadable(page.sessions)}
      activity={useReadable(page.activity)}
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
  const deletion = useReadable(page.deletion);
  const problem = useReadable(page.problem);
  return (
    <div data-part="toasts">
      <Suspense>
        {problem && <ProblemToast text={problem} onDismiss={() => page.dismissProblem()} />}
        {deletion && <UndoToast title={deletion.title} onUndo={() => void page.undoRemove()} />}
      </Suspense>
    </div>
  );
}
