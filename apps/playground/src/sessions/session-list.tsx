import { useReadable } from "@robota/react";
import { Cloud, Import, Plus, Search } from "lucide-react";
import { type DragEvent, useState } from "react";
import { openDialog } from "../layout/open-dialog.ts";
import { ServerSessions, SessionRows } from "../lazy.ts";
import { servers } from "../remote/servers.ts";
import { usePage } from "../state/page-context.ts";
import { Button, IconButton } from "../ui/button.tsx";
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
  const hasServers = useReadable(servers).length > 0;
  const [search, setSearch] = useState("");
  const { isOver, dropping } = useDrop((file) => {
    onDone?.();
    openDialog("import", { file });
  });
  const words = search.trim().toLowerCase();
  const found = sessions.filter((session) =>
    `${session.name ?? ""} ${session.preview}`.toLowerCase().includes(words),
  );

  return (
    <div data-part="session-list" data-over={isOver || undefined} {...dropping}>
      <div data-part="session-new">
        <Button
          icon={<Plus size={16} />}
          onClick={() => {
            onDone?.();
            void page.open();
          }}
        >
          New session
        </Button>
        <IconButton
          label="Import a session"
          icon={<Import size={16} />}
          onClick={() => {
            onDone?.();
            openDialog("import");
          }}
        />
        <IconButton
          label="Connect to a server"
          icon={<Cloud size={16} />}
          onClick={() => openDialog("connect")}
        />
      </div>
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
      {hasServers && (
        <RegionBoundary name="The server">
          <ServerSessions onDone={onDone} />
        </RegionBoundary>
      )}
    </div>
  );
}

/** Accepts one dropped file. */
function useDrop(onFile: (file: File) => void) {
  const [isOver, setIsOver] = useState(false);
  const dropping = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      setIsOver(false);
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      onFile(file);
    },
  };
  return { isOver, dropping };
}
