import { useEffect, useRef } from "react";
import type { ConversationView } from "../state/conversation.ts";
import { runningTurn } from "../state/conversation.ts";
import { announceReplies } from "../state/preferences.ts";
import { announce } from "../ui/announcer.tsx";

/** Maximum characters of a reply read aloud. */
const SPOKEN = 300;

/** Announces the turn's progress to screen readers and in the page's title, at the moments that matter. */
export function StatusAnnouncer({ conversation }: { conversation: ConversationView }) {
  const running = runningTurn(conversation);
  const waiting = conversation.requests[0]?.tool;
  const state = waiting ? `${waiting} is waiting for approval` : running ? "Working" : "";
  const wasRunning = useRef<string>(undefined);

  useEffect(() => {
    document.title = `${waiting ? "● " : running ? "… " : ""}${conversation.name || "Robota Playground"}`;
  }, [waiting, running, conversation.name]);

  useEffect(() => {
    if (state) announce(state);
  }, [state]);

  useEffect(() => {
    const before = wasRunning.current;
    wasRunning.current = running?.id;
    if (!before || running) return;
    const turn = conversation.timeline.findLast((entry) => entry.id === before);
    if (turn?.kind !== "turn") return;
    if (turn.state === "interrupted") announce("Stopped");
    else if (turn.state === "failed") announce(`The turn failed. ${turn.error?.message ?? ""}`);
    else {
      const last = turn.items.findLast((item) => item.kind === "text");
      const text = last?.kind === "text" ? last.text : "";
      announce(announceReplies.get() && text ? text.slice(0, SPOKEN) : "The reply is complete");
    }
  }, [running, conversation.timeline]);

  return null;
}
