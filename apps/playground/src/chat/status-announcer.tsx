import { usePermissionRequests, useSession, useTranscript } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import { useEffect, useRef } from "react";
import { usePage } from "../state/page-context.ts";
import { announceReplies } from "../state/preferences.ts";
import { announce } from "../ui/announcer.tsx";

/** Maximum characters of a reply read aloud. */
const SPOKEN = 300;

/** Announces the turn's progress to screen readers and in the page's title, at the moments that matter. */
export function StatusAnnouncer({ session }: { session: SessionConnection | undefined }) {
  const page = usePage();
  const timeline = useTranscript(session);
  const { name } = useSession(session);
  const last = timeline.at(-1);
  const running = last?.kind === "turn" && last.state === "running" ? last : undefined;
  const waiting = usePermissionRequests(session).requests[0]?.tool;
  const state = waiting ? `${waiting} is waiting for approval` : running ? "Working" : "";
  const wasRunning = useRef<string>(undefined);

  useEffect(() => {
    document.title = `${waiting ? "● " : running ? "… " : ""}${name || "Robota Playground"}`;
  }, [waiting, running, name]);

  useEffect(() => {
    if (state) announce(state);
  }, [state]);

  useEffect(() => {
    const before = wasRunning.current;
    wasRunning.current = running?.id;
    if (!before || running) return;
    const turn = timeline.findLast((entry) => entry.id === before);
    if (turn?.kind !== "turn") return;
    if (turn.state === "interrupted") announce("Stopped");
    else if (turn.state === "failed")
      announce(`The turn failed. ${page.wordsOf(turn.error?.message ?? "")}`);
    else {
      const reply = turn.items.findLast((item) => item.kind === "text");
      const text = reply?.kind === "text" ? reply.text : "";
      announce(announceReplies.get() && text ? text.slice(0, SPOKEN) : "The reply is complete");
    }
  }, [page, running, timeline]);

  return null;
}
