import type { SessionHeader } from "@robota/runtime/sessions";
import { Plus, Search } from "lucide-react";
import { Suspense, useState } from "react";
import { SessionRows } from "../lazy.ts";
import type { Activity } from "../state/page-state.ts";
import { Button } from "../ui/button.tsx";
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
  const { sessions, onNew } = props;
  const [search, setSearch] = useState("");
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
      <Suspense>{found.length > 0 && <SessionRows {...props} sessions={found} />}</Suspense>
    </div>
  );
}
