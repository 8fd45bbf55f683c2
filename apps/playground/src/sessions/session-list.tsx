import type { SessionHeader } from "@robota/runtime/sessions";
import { Pencil, Plus, Search, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { Activity } from "../state/page-state.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDeletion } from "../ui/confirm-deletion.tsx";
import { formatWhen } from "../ui/format.ts";
import { RenameForm } from "../ui/rename-form.tsx";
import { sessionTitle } from "./session-title.ts";
import "./session-list.css";

/** Few sessions are found faster by eye. */
const SEARCH_FROM = 6;

export interface SessionListProps {
  sessions: readonly SessionHeader[];
  currentId: string | undefined;
  activity: ReadonlyMap<string, Activity>;
  onOpen: (id: string) => void;
  onNew: () => void;
  onRename: (id: string, name: string) => void;
  onRemove: (session: SessionHeader, title: string) => void;
}

export function SessionList(props: SessionListProps) {
  const { sessions, currentId, activity, onOpen, onNew, onRename, onRemove } = props;
  const [search, setSearch] = useState("");
  const [renaming, setRenaming] = useState<string>();
  const words = search.trim().toLowerCase();
  const found = sessions.filter((session) =>
    `${session.name ?? ""} ${session.preview}`.toLowerCase().includes(words),
  );

  return (
    <div data-part="session-list">
      <Button icon={<Plus size={16} />} onClick={onNew}>
        New session
      </Button>
      {sessions.length >= SEARCH_FROM && (
        <label data-part="session-search">
          <Search size={14} aria-hidden="true" />
          <input
            type="search"
            aria-label="Search sessions"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
      )}
      {sessions.length === 0 && <p data-part="session-none">Sessions are kept in this browser.</p>}
      {sessions.length > 0 && found.length === 0 && <p data-part="session-none">Nothing found.</p>}
      <ul>
        {found.map((session) => (
          <li key={session.id} data-current={session.id === currentId || undefined}>
            {renaming === session.id ? (
              <RenameForm
                label="Name of the session"
                name={sessionTitle(session)}
                onDone={(name) => {
                  setRenaming(undefined);
                  if (name) onRename(session.id, name);
                }}
              />
            ) : (
              <Row
                session={session}
                current={session.id === currentId}
                activity={activity.get(session.id)}
                onOpen={() => onOpen(session.id)}
                onRename={() => setRenaming(session.id)}
                onRemove={() => onRemove(session, sessionTitle(session))}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RowProps {
  session: SessionHeader;
  current: boolean;
  activity: Activity | undefined;
  onOpen: () => void;
  onRename: () => void;
  onRemove: () => void;
}

function Row({ session, current, activity, onOpen, onRename, onRemove }: RowProps) {
  const [asking, setAsking] = useState(false);
  const title = sessionTitle(session);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "F2") onRename();
    else if (event.key === "Delete") setAsking(true);
    else return;
    event.preventDefault();
  }

  if (asking) {
    return <ConfirmDeletion name={title} onDelete={onRemove} onKeep={() => setAsking(false)} />;
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
        <time dateTime={new Date(session.updatedAt).toISOString()}>
          {formatWhen(new Date(session.updatedAt).getTime())}
        </time>
      </button>
      <IconButton label={`Rename ${title}`} icon={<Pencil size={14} />} onClick={onRename} />
      <IconButton
        label={`Delete ${title}`}
        icon={<Trash2 size={14} />}
        onClick={() => setAsking(true)}
      />
    </div>
  );
}
