import { useReadable } from "@robota/react";
import type { SessionSummary } from "@robota/runtime/transports";
import { Laptop, Plus, RotateCw, Unplug } from "lucide-react";
import { useEffect } from "react";
import { keyRing } from "../connections/keys/key-ring.ts";
import { openDialog } from "../layout/open-dialog.ts";
import { sessionTitle } from "../sessions/session-title.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { formatWhen } from "../ui/format.ts";
import { forgetServer, refreshServer, serverLists } from "./server-lists.ts";
import { hasToken, tokenPlace } from "./server-access.ts";
import { serverName } from "./server-name.ts";
import { servers } from "./servers.ts";
import "./remote.css";

export interface Done {
  /** Called when a session was chosen. */
  onDone: (() => void) | undefined;
}

/** The sessions of every server that is known, below those of this browser. */
export function ServerSessions({ onDone }: Done) {
  return useReadable(servers).map((server) => (
    <ServerGroup key={server} server={server} onDone={onDone} />
  ));
}

/** One server's sessions, under its name. */
export function ServerGroup({ server, onDone }: Done & { server: string }) {
  const page = usePage();
  const list = useReadable(serverLists).get(server);
  useReadable(keyRing.changed);
  const isOpen = hasToken(server);
  const name = serverName(server);

  useEffect(() => {
    if (!isOpen) return;
    const refresh = () => void refreshServer(server);
    if (!serverLists.get().has(server)) refresh();
    addEventListener("focus", refresh);
    return () => removeEventListener("focus", refresh);
  }, [server, isOpen]);

  function disconnect() {
    void keyRing.forget(tokenPlace(server));
    forgetServer(server);
  }

  return (
    <section data-part="session-group" aria-label={`On ${name}`}>
      <header data-part="server-head">
        <h2 title={server}>{name}</h2>
        {isOpen && (
          <>
            <IconButton
              label={`New session on ${name}`}
              icon={<Plus size={14} />}
              onClick={() => {
                onDone?.();
                void page.openRemote(server);
              }}
            />
            <IconButton
              label={`Refresh the sessions of ${name}`}
              icon={<RotateCw size={13} />}
              onClick={() => void refreshServer(server)}
            />
          </>
        )}
        <IconButton
          label={`Disconnect from ${name}`}
          icon={<Unplug size={14} />}
          onClick={disconnect}
        />
      </header>
      {!isOpen ? (
        <Button onClick={() => openDialog("connect", { server })}>Enter the token…</Button>
      ) : list && "error" in list ? (
        <p data-part="session-none">Its sessions can’t be listed: {list.error.message}</p>
      ) : (
        <Rows server={server} sessions={list?.sessions} onDone={onDone} />
      )}
    </section>
  );
}

const STATES = { waiting: "Waits for you:", open: "Running:" } as const;

interface RowsProps extends Done {
  server: string;
  /** Missing until they are listed. */
  sessions: readonly SessionSummary[] | undefined;
}

function Rows({ server, sessions, onDone }: RowsProps) {
  const page = usePage();
  const { phase } = useCurrentSession();
  const isShown = phase.kind === "remote" && phase.server === server;
  const currentId = isShown ? phase.session.sessionId : undefined;
  if (!sessions) return <p data-part="session-none">Listing…</p>;
  const here = sessions.filter(({ handedOverTo }) => !handedOverTo);
  if (here.length === 0) return <p data-part="session-none">No sessions yet.</p>;
  return (
    <ul>
      {here.map((session) => {
        const title = sessionTitle({ name: session.name, preview: session.preview ?? "" });
        const isCurrent = session.id === currentId;
        return (
          <li key={session.id} data-current={isCurrent || undefined}>
            <div data-part="session-row">
              <button
                type="button"
                aria-current={isCurrent ? "page" : undefined}
                onClick={() => {
                  onDone?.();
                  if (!isCurrent) void page.openRemote(server, session.id);
                }}
              >
                {session.state !== "idle" && (
                  <span
                    data-part="session-activity"
                    data-activity={session.state === "waiting" ? "waiting" : "running"}
                  >
                    <span data-part="visually-hidden">{STATES[session.state]}</span>
                  </span>
                )}
                <span data-part="session-title">{title}</span>
                {session.updatedAt && (
                  <time dateTime={session.updatedAt}>
                    {formatWhen(new Date(session.updatedAt).getTime())}
                  </time>
                )}
              </button>
              <IconButton
                label={`Bring ${title} here`}
                icon={<Laptop size={14} />}
                onClick={() =>
                  openDialog("move", { direction: "back", server, id: session.id, title })
                }
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
