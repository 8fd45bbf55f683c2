import { useReplay } from "@robota/react";
import type { SessionView } from "@robota/react/store";
import type { SessionEvent } from "@robota/runtime";
import { useEffect, useMemo, useRef } from "react";
import { DividerView } from "../chat/turns/divider-view.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { TurnView } from "../lazy.ts";
import { shortPath } from "../ui/format.ts";
import { Controls } from "./controls.tsx";
import { decisionsAt } from "./decisions.ts";
import { filesAt } from "./past-files.ts";
import { ReplayActions } from "./replay-actions.tsx";

export interface PlayerProps {
  sessionId: string;
  events: readonly SessionEvent[];
  onClose: () => void;
}

/** One recorded session: the conversation, files and decisions at a point, and the controls to move it. */
export function Player({ sessionId, events, onClose }: PlayerProps) {
  const replay = useReplay(events);
  const { view, position, length, seek } = replay;
  const event = events[position - 1];

  // A recording opens at its end, as a session does.
  useEffect(() => seek(length), [seek, length]);

  return (
    <>
      <div data-part="replay-stage">
        <Transcript view={view} />
        <Aside events={events} position={position} />
      </div>
      <Controls replay={replay} event={event} />
      <ReplayActions sessionId={sessionId} seq={event?.seq} onClose={onClose} />
    </>
  );
}

function Transcript({ view }: { view: SessionView }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = box.current;
    element?.scrollTo({ top: element.scrollHeight });
  }, [view]);

  return (
    <div
      ref={box}
      data-part="replay-transcript"
      role="log"
      aria-live="off"
      aria-label="Recorded conversation"
      tabIndex={0}
    >
      {view.timeline.length === 0 && <p data-part="inspector-empty">Nothing has happened yet.</p>}
      {view.timeline.map((entry) =>
        entry.kind === "turn" ? (
          <TurnView key={entry.id} turn={entry} />
        ) : (
          <DividerView key={entry.id} divider={entry} />
        ),
      )}
    </div>
  );
}

function Aside({ events, position }: { events: readonly SessionEvent[]; position: number }) {
  const files = useMemo(() => filesAt(events, position), [events, position]);
  const decisions = useMemo(() => decisionsAt(events, position), [events, position]);
  return (
    <div data-part="replay-aside" role="group" aria-label="Files and decisions" tabIndex={0}>
      <h3>Files at this point</h3>
      {files.changes.length + files.others.length === 0 && <p>No file was changed.</p>}
      {files.changes.map((change) => (
        <DiffView key={change.path} change={change} />
      ))}
      {files.others.length > 0 && (
        <p>Also changed: {files.others.map((path) => shortPath(path)).join(", ")}</p>
      )}
      <h3>Decisions</h3>
      {decisions.length === 0 && <p>None yet.</p>}
      <ol>
        {decisions.map(({ seq, text }) => (
          <li key={seq}>{text}</li>
        ))}
      </ol>
    </div>
  );
}
