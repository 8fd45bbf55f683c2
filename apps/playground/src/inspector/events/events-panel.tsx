import { useEvents } from "@robota/react";
import { ArrowDownToLine, ChevronRight } from "lucide-react";
import { memo, useCallback, useEffect, useId, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import type { EventRow } from "@robota/react/store";
import { useCurrentSession } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";
import { OutputBlock } from "../../ui/output-block.tsx";
import { EmptyPanel } from "../section.tsx";
import { describeEvent } from "./describe-event.ts";
import { EVENT_KINDS, type EventLine } from "./list-events.ts";
import { useEventLines } from "./use-event-lines.ts";
import "./events-panel.css";

/** Distance from the end, in pixels, within which the list follows new events. */
const NEAR_END = 40;
/** Height of a line before it is measured. */
const LINE_HEIGHT = 28;

/** Every event of the session, oldest first, as the session stores and streams it. */
export function EventsPanel() {
  const { session } = useCurrentSession();
  const rows = useEvents(session);
  const [text, setText] = useState("");
  const [type, setType] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const lines = useEventLines(rows, { text, type }, closed);
  const kindId = useId();

  const onTurn = useCallback((id: string) => setClosed((before) => toggled(before, id)), []);
  const onEvent = useCallback((key: string) => setOpened((before) => toggled(before, key)), []);

  if (rows.length === 0) return <EmptyPanel>Nothing has happened yet.</EmptyPanel>;
  const shown = lines.reduce((sum, line) => sum + (line.kind === "event" ? 1 : 0), 0);
  return (
    <div data-part="events">
      <div data-part="events-filter">
        <input
          type="search"
          aria-label="Filter events by text"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <label htmlFor={kindId} data-part="visually-hidden">
          Kind of event
        </label>
        <select id={kindId} value={type} onChange={(event) => setType(event.target.value)}>
          {EVENT_KINDS.map((kind) => (
            <option key={kind.label} value={kind.type}>
              {kind.label}
            </option>
          ))}
        </select>
        <span data-part="events-count">
          {shown === rows.length ? rows.length : `${shown} of ${rows.length}`}
        </span>
      </div>
      {lines.length === 0 ? (
        <EmptyPanel>No event matches.</EmptyPanel>
      ) : (
        <EventLines lines={lines} opened={opened} onTurn={onTurn} onEvent={onEvent} />
      )}
    </div>
  );
}

interface EventLinesProps {
  lines: readonly EventLine[];
  opened: ReadonlySet<string>;
  onTurn: (turnId: string) => void;
  onEvent: (key: string) => void;
}

function EventLines({ lines, opened, onTurn, onEvent }: EventLinesProps) {
  const list = useRef<VListHandle>(null);
  const [follows, setFollows] = useState(true);
  /** True once a person has scrolled away from the end. */
  const wasMoved = useRef(false);

  useEffect(() => {
    if (follows) list.current?.scrollToIndex(lines.length - 1, { align: "end" });
  }, [lines, follows]);

  function onScroll(offset: number) {
    const handle = list.current;
    if (!handle) return;
    const isNearEnd = handle.scrollSize - offset - handle.viewportSize < NEAR_END;
    // Lines that are measured scroll the list as well.
    if (isNearEnd || wasMoved.current) setFollows(isNearEnd);
    if (isNearEnd) wasMoved.current = false;
  }

  const onMove = () => (wasMoved.current = true);
  return (
    <div
      data-part="events-view"
      onWheel={onMove}
      onTouchMove={onMove}
      onKeyDown={onMove}
      onPointerDown={onMove}
    >
      <VList
        ref={list}
        data={lines}
        itemSize={LINE_HEIGHT}
        onScroll={onScroll}
        data-part="event-lines"
        role="list"
        aria-label="Events, oldest first"
        tabIndex={0}
      >
        {(line) => (
          <div key={line.key} role="listitem">
            {line.kind === "turn" ? (
              <TurnLine line={line} onToggle={onTurn} />
            ) : (
              <Line
                lineKey={line.key}
                row={line.row}
                isInTurn={line.isInTurn}
                isOpen={opened.has(line.key)}
                onToggle={onEvent}
              />
            )}
          </div>
        )}
      </VList>
      {!follows && (
        <div data-part="events-follow">
          <Button icon={<ArrowDownToLine size={14} />} onClick={() => setFollows(true)}>
            Follow
          </Button>
        </div>
      )}
    </div>
  );
}

interface TurnLineProps {
  line: Extract<EventLine, { kind: "turn" }>;
  onToggle: (turnId: string) => void;
}

function TurnLine({ line, onToggle }: TurnLineProps) {
  return (
    <button
      type="button"
      data-part="event-turn"
      aria-expanded={line.isOpen}
      onClick={() => onToggle(line.turnId)}
    >
      <ChevronRight size={13} aria-hidden="true" />
      <span>{line.prompt || "Turn"}</span>
      <span data-part="events-count">{line.count}</span>
    </button>
  );
}

interface LineProps {
  lineKey: string;
  row: EventRow;
  isInTurn: boolean;
  isOpen: boolean;
  onToggle: (key: string) => void;
}

const Line = memo(function Line({ lineKey, row, isInTurn, isOpen, onToggle }: LineProps) {
  const { event, count } = row;
  return (
    <div data-part="event-line" data-type={event.type} data-nested={isInTurn || undefined}>
      <button type="button" aria-expanded={isOpen} onClick={() => onToggle(lineKey)}>
        <ChevronRight size={13} aria-hidden="true" />
        <span data-part="log-seq">{event.seq}</span>
        <span data-part="log-type">
          {event.type}
          {count > 1 && <span data-part="log-count"> ×{count}</span>}
        </span>
        <span data-part="log-text">{describeEvent(event)}</span>
      </button>
      {isOpen && <OutputBlock text={JSON.stringify(event, null, 2)} what="event" />}
    </div>
  );
});

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(key)) next.add(key);
  return next;
}
