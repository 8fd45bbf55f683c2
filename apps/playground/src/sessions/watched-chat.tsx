import { StatusAnnouncer } from "../chat/status-announcer.tsx";
import { Transcript } from "../chat/transcript.tsx";
import { CutBanner, WatchBanner } from "../lazy.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";

/** The conversation of a session that can only be read here: another tab has it open, or nobody goes on with its turn. */
export function WatchedChat() {
  const { phase, session } = useCurrentSession();
  if (phase.kind !== "watching") return null;
  return (
    <main data-part="chat">
      {phase.reason !== "cut" && <StatusAnnouncer session={session} />}
      <Transcript session={session} empty={null} />
      <div data-part="write" data-region role="region" aria-label="Message" tabIndex={-1}>
        <RegionBoundary name="The notice">
          {phase.reason === "cut" ? (
            <CutBanner session={phase.session} />
          ) : (
            <WatchBanner sessionId={phase.session.sessionId} lost={phase.reason === "lost"} />
          )}
        </RegionBoundary>
      </div>
    </main>
  );
}
