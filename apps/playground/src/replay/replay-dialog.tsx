import { useReadable } from "@robota/react";
import type { SessionEvent } from "@robota/runtime";
import { useEffect, useId, useState } from "react";
import { problemText } from "../inspector/use-busy.ts";
import { sessionTitle } from "../sessions/session-title.ts";
import { useCurrentSession, useHost, usePage } from "../state/page-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Player } from "./player.tsx";
import { storedEvents } from "./stored-events.ts";
import "./replay.css";

export interface ReplayDialogProps {
  /** The session to begin with; the one that is open when missing. */
  sessionId?: string;
  onClose: () => void;
}

/** Plays a stored session: any of the list, at any point and pace. No model is called and nothing runs. */
export function ReplayDialog({ sessionId, onClose }: ReplayDialogProps) {
  const sessions = useReadable(usePage().sessions);
  const { local } = useCurrentSession();
  const [chosen, setChosen] = useState(sessionId ?? local?.sessionId);
  const id = chosen ?? sessions[0]?.id;
  const select = useId();
  const recording = useRecording(id);

  return (
    <Dialog title="Replay" shape="wide" onClose={onClose}>
      <div data-part="replay">
        <div data-part="replay-head">
          <label htmlFor={select}>Session</label>
          <select id={select} value={id} onChange={(event) => setChosen(event.target.value)}>
            {sessions.map((header) => (
              <option key={header.id} value={header.id}>
                {sessionTitle(header)}
              </option>
            ))}
          </select>
        </div>
        {recording.problem && (
          <p data-part="inspector-problem" role="alert">
            {recording.problem}
          </p>
        )}
        {recording.events && id && (
          <Player key={id} sessionId={id} events={recording.events} onClose={onClose} />
        )}
      </div>
    </Dialog>
  );
}

interface LoadedRecording {
  events?: readonly SessionEvent[];
  problem?: string;
}

function useRecording(id: string | undefined): LoadedRecording {
  const host = useHost();
  const [loaded, setLoaded] = useState<LoadedRecording & { id?: string }>({});

  useEffect(() => {
    if (!host || !id) return;
    let isCurrent = true;
    storedEvents(host.storage, id).then(
      (events) =>
        isCurrent &&
        setLoaded(
          events.length > 0
            ? { id, events }
            : { id, problem: "Nothing is stored of this session yet. Send a message first." },
        ),
      (error: unknown) => isCurrent && setLoaded({ id, problem: problemText(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, id]);

  return loaded.id === id ? loaded : {};
}
