import { useTranscript } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import { Unplug } from "lucide-react";
import { useEffect } from "react";
import { usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import "./watch-banner.css";

const TITLE = "Stopped in the middle of a turn";

/** In place of the composer for a session whose page was closed while it worked: the turn goes on only when asked to. */
export function CutBanner({ session }: { session: SessionConnection }) {
  const page = usePage();
  const last = useTranscript(session).findLast((entry) => entry.kind === "turn");
  const isOver = last !== undefined && last.state !== "running";
  const open = (cut: "continue" | "end") =>
    void page.open(session.sessionId, { cut, history: "replace" });

  useEffect(() => announce(TITLE), []);

  useEffect(() => {
    // The page was closed after the turn's end, and before the list of sessions had it.
    if (isOver) void page.open(session.sessionId, { cut: "end", history: "replace" });
  }, [isOver, page, session]);

  if (!last || isOver) return null;
  return (
    <div data-part="watch-banner">
      <Unplug size={18} aria-hidden="true" />
      <div>
        <strong>{TITLE}</strong>
        <p>
          The page was closed while the agent worked. Resume goes on after the last finished step; a
          command that was cut off is not run again.
        </p>
      </div>
      <Button look="primary" onClick={() => open("continue")}>
        Resume
      </Button>
      <Button onClick={() => open("end")}>End the turn</Button>
    </div>
  );
}
