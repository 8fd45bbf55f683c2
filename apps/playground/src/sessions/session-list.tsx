import { useReadable } from "@robota/react";
import { Plus, Search } from "lucide-react";
import { useState } from "react";
import { SessionRows } from "../lazy.ts";
import { usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import "./session-list.css";

/** Few sessions are found faster by eye. */
const SEARCH_FROM = 6;

export interface SessionListProps {
  /** Called when a session was chosen. */
  onDone?: () => void;
}

/** The sessions of this browser, and the way to a new one. */
export function SessionList({ onDone }: SessionListProps) {
  const page = usePage();
  const sessions = useReadable(page.sessions);
  const [search, setSearch] = useState("");
  const words = search.trim().toLowerCase();
  const found = sessions.filter((session) =>
    `${session.name ?? ""} ${session.preview}`.toLowerCase().includes(words),
  );

  return (
    <div data-part="session-list">
      <Button
        icon={<Plus size={16} />}
        onClick={() => {
          onDone?.();
          void page.open();
        }}
      >
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
      {found.length > 0 && (
        <RegionBoundary name="The list">
          <SessionRows sessions={found} onDone={onDone} />
        </RegionBoundary>
      )}
    </div>
  );
}
