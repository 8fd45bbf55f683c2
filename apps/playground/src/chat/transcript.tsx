import { ArrowDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent } from "react";
import { DividerView, NextSteps, ReadingPlace, SearchBar, TurnView } from "../lazy.ts";
import { useReadable, useSession, useTranscript } from "@robota/react";
import type { SessionConnection, TimelineEntry, TurnView as Turn } from "@robota/react/store";
import { isSearching } from "../search/search-state.ts";
import { Button } from "../ui/button.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { isPressed } from "../layout/keys.ts";
import { type StickToBottom, useStickToBottom } from "./use-stick-to-bottom.ts";
import type { Preview } from "../state/workspace-phase.ts";
import { useWindow, type Window, WINDOW } from "./use-window.ts";
import "./transcript.css";

export interface TranscriptProps {
  session: SessionConnection | undefined;
  /** The end of the conversation, to be shown until the session is there. */
  preview?: Preview | undefined;
  /** Content of an empty conversation. */
  empty: ReactNode;
  /** The message that was sent, until its turn is over. */
  sent?: string;
  /** Sends the prompt of a turn that failed or was stopped once more; missing where nobody can send. */
  onAgain?: (turn: Turn) => void;
}

/** The conversation. Not a live region: `StatusAnnouncer` announces the relevant parts. */
export function Transcript({ session, preview, empty, sent, onAgain }: TranscriptProps) {
  const whole = useTranscript(session);
  const { sessionId, timeline } = session
    ? { sessionId: session.sessionId, timeline: whole }
    : (preview ?? { sessionId: undefined, timeline: whole });
  const followed = useStickToBottom();
  const { scroller, content, hasNew } = followed;
  const shown = useWindow(sessionId, timeline, followed);
  const { first, end } = shown;
  const isAtEnd = end === timeline.length;
  const searching = useReadable(isSearching);
  const last = timeline.at(-1);
  const toLatest = useLatest(shown, followed, { sent, last });

  return (
    <div data-part="transcript-frame">
      {searching && (
        <RegionBoundary name="The search">
          <SearchBar session={session} />
        </RegionBoundary>
      )}
      <div
        ref={scroller}
        data-part="transcript"
        data-region
        data-empty={timeline.length === 0 || undefined}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={0}
        onKeyDown={searchOnKey}
      >
        <div ref={content} data-part="transcript-content">
          {timeline.length === 0 && empty}
          {first > 0 && shown.isFilled && (
            <Button look="bare" onClick={shown.showEarlier}>
              Show {Math.min(first, WINDOW)} earlier
            </Button>
          )}
          <RegionBoundary name="The conversation">
            <Entries session={session} entries={timeline.slice(first, end)} isOwn={!!onAgain} />
          </RegionBoundary>
          {/* Turns stay in sight while the rest loads. */}
          {!isAtEnd && (
            <Button look="bare" onClick={toLatest}>
              Back to the latest
            </Button>
          )}
          {isAtEnd && onAgain && last?.kind === "turn" && last.state !== "running" && (
            <RegionBoundary name="What to try next">
              <NextSteps turn={last} onAgain={onAgain} />
            </RegionBoundary>
          )}
          <SummaryStatus session={session} sent={sent} />
          {sessionId !== undefined && timeline.length > 0 && (
            <RegionBoundary name="The reading position">
              <ReadingPlace
                key={sessionId}
                sessionId={sessionId}
                scroller={scroller}
                timeline={timeline}
                onShow={shown.show}
              />
            </RegionBoundary>
          )}
        </div>
      </div>
      {hasNew && (
        <Button data-part="to-new" icon={<ArrowDown size={15} />} onClick={toLatest}>
          New
        </Button>
      )}
    </div>
  );
}

interface Sending {
  sent: string | undefined;
  last: TimelineEntry | undefined;
}

/** Shows the reply after each sending, which a person then wants to see. Returns the way to the end at any other time. */
function useLatest(
  { leave }: Window,
  { toBottom, toReply }: StickToBottom,
  { sent, last }: Sending,
): () => void {
  const runningId = last?.kind === "turn" && last.state === "running" ? last.id : undefined;
  const follow = useEffectEvent(() => {
    leave();
    toReply();
  });
  // A fast turn is over before it was drawn as running.
  useEffect(() => {
    if (sent !== undefined) follow();
  }, [sent]);
  useEffect(() => {
    if (runningId !== undefined) follow();
  }, [runningId]);
  return () => {
    leave();
    toBottom();
  };
}

function searchOnKey(event: KeyboardEvent): void {
  if (!isPressed(event, "Mod+F")) return;
  event.preventDefault();
  isSearching.set(true);
}

interface EntriesProps {
  session: SessionConnection | undefined;
  entries: readonly TimelineEntry[];
  isOwn: boolean;
}

function Entries({ session, entries, isOwn }: EntriesProps) {
  return entries.map((entry) =>
    entry.kind === "turn" ? (
      <TurnView key={entry.id} turn={entry} isOwn={isOwn} />
    ) : (
      <RegionBoundary key={entry.id} name="A mark between turns">
        <DividerView session={session} divider={entry} />
      </RegionBoundary>
    ),
  );
}

interface SummaryStatusProps {
  session: SessionConnection | undefined;
  sent: string | undefined;
}

/** A summary may take a minute, before the turn that waits for it has begun. Its message is in sight meanwhile. */
function SummaryStatus({ session, sent }: SummaryStatusProps) {
  const { isRunning, isSummarising } = useSession(session);
  if (!isSummarising) return null;
  return (
    <>
      {sent && !isRunning && (
        <div data-part="prompt" data-waiting dir="auto">
          {sent}
        </div>
      )}
      <p data-part="mark">Summarising earlier messages…</p>
    </>
  );
}
