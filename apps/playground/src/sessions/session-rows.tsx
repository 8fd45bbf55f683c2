import { useReadable } from "@robota/react";
import type { SessionHeader } from "@robota/runtime/sessions";
import { AppWindow, Cloud, Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import type { Activity } from "../state/activities.ts";
import { IconButton } from "../ui/button.tsx";
import { ConfirmDeletion } from "../ui/confirm-deletion.tsx";
import { formatWhen } from "../ui/format.ts";
import { RenameForm } from "../ui/rename-form.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { sessionTitle } from "./session-title.ts";
import { timeGroups } from "./time-groups.ts";

export interface SessionRowsProps {
  sessions: readonly SessionHeader[];
  /** Called when a session was chosen. */
  onDone: (() => void) | undefined;
}

/** The stored sessions, to open, rename and delete. */
export function SessionRows({ sessions, onDone }: SessionRowsProps) {
  const page = usePage();
  const activity = useReadable(page.activity);
  const elsewhere = useReadable(page.elsewhere);
  const { session: current, remote } = useCurrentSession();
  // A session that went on at a server has the same id there.
  const currentId = remote ? undefined : current?.sessionId;
  const report = (error: unknown) => page.reportProblem(error);
  const [renaming, setRenaming] = useState<string>();

  /** Another tab that has the session open would refuse the change after a while: then the person is told now. */
  const unlessElsewhere = async (session: SessionHeader, change: string, make: () => void) => {
    // The other tab may have closed it since.
    if (elsewhere.has(session.id)) await page.refreshSessions();
    if (!page.elsewhere.get().has(session.id)) return make();
    const title = `“${sessionTitle(session)}”`;
    report(new Error(`${title} is open in another tab, and can only be ${change} there.`));
  };

  const rowOf = (session: SessionHeader) => (
    <li key={session.id} data-current={session.id === currentId || undefined}>
      {renaming === session.id ? (
        <RenameForm
          label="Name of the session"
          name={sessionTitle(session)}
          onDone={(name) => {
            setRenaming(undefined);
            if (name) page.rename(session.id, name).catch(report);
          }}
        />
      ) : (
        <Row
          session={session}
          current={session.id === currentId}
          activity={activity.get(session.id)}
          isElsewhere={elsewhere.has(session.id)}
          onOpen={() => {
            onDone?.();
            if (session.id !== currentId) void page.open(session.id);
          }}
          onDone={onDone}
          onRename={() => void unlessElsewhere(session, "renamed", () => setRenaming(session.id))}
          onAsk={(ask) => void unlessElsewhere(session, "deleted", ask)}
          onRemove={() => {
            // The second press of a double click would make the deletion final.
            if (page.deletion.get()?.id !== session.id)
              page.remove(session, sessionTitle(session)).catch(report);
          }}
        />
      )}
    </li>
  );

  return timeGroups(sessions).map(({ label, sessions: ofGroup }) => (
    <section key={label} data-part="session-group" aria-label={label}>
      <h2>{label}</h2>
      <ul>{ofGroup.map(rowOf)}</ul>
    </section>
  ));
}

interface RowProps {
  session: SessionHeader;
  current: boolean;
  activity: Activity | undefined;
  /** Another tab has it open. */
  isElsewhere: boolean;
  onOpen: () => void;
  onDone: (() => void) | undefined;
  onRename: () => void;
  /** Calls `ask` if there is something to be asked. */
  onAsk: (ask: () => void) => void;
  onRemove: () => void;
}

function Row(props: RowProps) {
  const { session, current, activity, isElsewhere, onOpen, onDone, onRename } = props;
  const [asking, setAsking] = useState(false);
  const title = sessionTitle(session);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "F2") onRename();
    else if (event.key === "Delete") props.onAsk(() => setAsking(true));
    else return;
    event.preventDefault();
  }

  if (asking) {
    return (
      <ConfirmDeletion name={title} onDelete={props.onRemove} onKeep={() => setAsking(false)} />
    );
  }
  return (
    <div data-part="session-row" onKeyDown={onKeyDown}>
      <button type="button" aria-current={current ? "page" : undefined} onClick={onOpen}>
        {activity && (
          <span data-part="session-activity" data-activity={activity}>
            <span data-part="visually-hidden">
              {activity === "waiting" ? "Waits for you:" : "Running:"}
            </span>
          </span>
        )}
        <span data-part="session-title">{title}</span>
        {isElsewhere && (
          <span data-part="session-elsewhere" title="Open in another tab">
            <AppWindow size={13} aria-label="Open in another tab" />
          </span>
        )}
        {session.handedOverTo && (
          <span data-part="session-elsewhere" title="Continues elsewhere">
            <Cloud size={13} aria-label="Continues elsewhere" />
          </span>
        )}
        <time dateTime={new Date(session.updatedAt).toISOString()}>
          {formatWhen(new Date(session.updatedAt).getTime())}
        </time>
      </button>
      <IconButton label={`Rename ${title}`} icon={<Pencil size={14} />} onClick={onRename} />
      <IconButton
        label={`Delete ${title}`}
        icon={<Trash2 size={14} />}
        onClick={() => props.onAsk(() => setAsking(true))}
      />
      <SessionMenu id={session.id} title={title} movedTo={session.handedOverTo} onDone={onDone} />
    </div>
  );
}
