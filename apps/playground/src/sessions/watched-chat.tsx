import { StatusAnnouncer } from "../chat/status-announcer.tsx";
import { Transcript } from "../chat/transcript.tsx";
import { WatchBanner } from "../lazy.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";

/** The conversation of a session that another tab has open, as that one writes it. */
export function WatchedChat() {
  const { phase, session } = useCurrentSession();
  if (phase.kind !== "watching") return null;
  return (
    <main data-part="chat">
      <StatusAnnouncer session={session} />
      <Transcript session={session} empty={null} />
      <div data-part="write" data-region role="region" aria-label="Message" tabIndex={-1}>
        <RegionBoundary name="The notice">
          <WatchBanner sessionId={phase.session.sessionId} lost={phase.lost} />
        </RegionBoundary>
      </div>
    </main>
  );
}
