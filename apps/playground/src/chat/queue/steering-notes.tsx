import { runningTurn, type SessionConnection, sessionStore } from "@robota/react/store";
import { CornerDownRight } from "lucide-react";
import { useEffect } from "react";
import { type SteeringText, waitingAfter, waitingNow } from "./steering-texts.ts";
import "./queue.css";

export interface SteeringNotesProps {
  session: SessionConnection;
  /** Messages to running turns, in all sessions of the page. */
  given: readonly SteeringText[];
  onChange: (change: (given: readonly SteeringText[]) => readonly SteeringText[]) => void;
}

/** Shows what the running turn was told, until it has read it. */
export function SteeringNotes({ session, given, onChange }: SteeringNotesProps) {
  const texts = given.filter((one) => one.session === session);

  useEffect(() => {
    const store = sessionStore(session);
    const stop = store.onEvents((events) => onChange((all) => waitingAfter(all, session, events)));
    // A message may have been read while this code was loaded.
    onChange((all) => waitingNow(all, session, runningTurn(store.get())));
    return stop;
  }, [session, onChange]);

  if (texts.length === 0) return null;
  return (
    <section data-part="queue" aria-label="For the running turn">
      <header>
        <CornerDownRight size={14} aria-hidden="true" />
        <h2>Read at the next step</h2>
      </header>
      <ol>
        {texts.map(({ text }, at) => (
          <li key={`${at} ${text}`}>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
