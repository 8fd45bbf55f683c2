import { ChevronRight } from "lucide-react";
import { memo, useState } from "react";
import { useEvents } from "@robota/react";
import type { EventRow } from "@robota/react/store";
import { useCurrentSession } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { OutputBlock } from "../ui/output-block.tsx";
import { describeEvent } from "./describe-event.ts";
import "./event-log.css";

const WINDOW = 200;

/** Every event of the session, newest first, as the session stores and streams it. */
export function EventLog() {
  const { session } = useCurrentSession();
  const rows = useEvents(session);
  const [shown, setShown] = useState(WINDOW);
  const first = Math.max(0, rows.length - shown);
  const visible = rows.slice(first).map((row, index) => ({ row, position: first + index }));

  if (rows.length === 0) return <p data-part="log-empty">Nothing has happened yet.</p>;
  return (
    <div data-part="event-log">
      <ol reversed aria-label="Events, newest first">
        {visible.toReversed().map(({ row, position }) => (
          // Lines are only ever added at the end, and events that are not stored share a number.
          <Row key={position} row={row} />
        ))}
      </ol>
      {visible.length < rows.length && (
        <Button look="bare" onClick={() => setShown(shown + WINDOW)}>
          Show {Math.min(WINDOW, rows.length - visible.length)} earlier
        </Button>
      )}
    </div>
  );
}

const Row = memo(function Row({ row: { event, count } }: { row: EventRow }) {
  const [open, setOpen] = useState(false);
  return (
    <li data-type={event.type}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={13} aria-hidden="true" />
        <span data-part="log-seq">{event.seq}</span>
        <span data-part="log-type">
          {event.type}
          {count > 1 && <span data-part="log-count"> ×{count}</span>}
        </span>
        <span data-part="log-text">{describeEvent(event)}</span>
      </button>
      {open && <OutputBlock text={JSON.stringify(event, null, 2)} what="event" />}
    </li>
  );
});
