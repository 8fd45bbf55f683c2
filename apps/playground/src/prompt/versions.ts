import type { SessionView, TimelineEntry } from "@robota/react/store";

/** One version of a message that was sent again: its turn, and the way there. */
export interface Version {
  turnId: string;
  /** The checkpoint that brings back the conversation and the files of this version; missing for the one that is shown. */
  checkpointId: string | undefined;
}

/** Where a turn stands among the versions of its message. */
export interface TurnVersions {
  /** From 1. */
  position: number;
  count: number;
  previous: Version | undefined;
  next: Version | undefined;
}

interface Versions {
  /** The turns of the timeline whose message has several versions, by their ids. */
  turns: ReadonlyMap<string, TurnVersions>;
  /** Rewinds whose mark says nothing that the versions don't show. */
  quiet: ReadonlySet<string>;
}

/** The place of the first turn. */
const START = "start";

const NONE: Versions = { turns: new Map(), quiet: new Set() };

/** While an answer streams, the timeline is another list in each frame, with the same entries. */
const computed = new WeakMap<
  SessionView["undone"],
  { length: number; lastId: string | undefined; versions: Versions }
>();

/**
 * The versions of messages that were sent again, from the timelines that rewinds have left. The newest timeline with a
 * version is the one to go back to.
 */
export function versionsOf({
  timeline,
  undone,
}: Pick<SessionView, "timeline" | "undone">): Versions {
  if (undone.size === 0) return NONE;
  const { length } = timeline;
  const lastId = timeline.at(-1)?.id;
  const known = computed.get(undone);
  if (known?.length === length && known.lastId === lastId) return known.versions;
  const versions = findVersions({ timeline, undone });
  computed.set(undone, { length, lastId, versions });
  return versions;
}

interface Sent extends Version {
  sentAt: number;
}

function findVersions({ timeline, undone }: Pick<SessionView, "timeline" | "undone">): Versions {
  const sent = new Map<string, Map<string, Sent>>();
  for (const [checkpointId, left] of undone) collect(sent, left, checkpointId);
  collect(sent, timeline, undefined);

  const turns = new Map<string, TurnVersions>();
  for (const [place, entry] of placesOf(timeline)) {
    const all = [...(sent.get(place)?.values() ?? [])].sort((one, two) => one.sentAt - two.sentAt);
    const at = all.findIndex(({ turnId }) => turnId === entry.id);
    if (all.length > 1)
      turns.set(entry.id, {
        position: at + 1,
        count: all.length,
        previous: all[at - 1],
        next: all[at + 1],
      });
  }
  return { turns, quiet: quietMarks({ timeline, undone }, sent) };
}

function collect(
  sent: Map<string, Map<string, Sent>>,
  timeline: readonly TimelineEntry[],
  checkpointId: string | undefined,
): void {
  for (const [place, { id, startedAt }] of placesOf(timeline)) {
    const versions = sent.get(place) ?? new Map<string, Sent>();
    versions.set(id, { turnId: id, checkpointId, sentAt: startedAt });
    sent.set(place, versions);
  }
}

/** Each turn with its place: turns that follow the same one are versions of each other. */
function* placesOf(timeline: readonly TimelineEntry[]) {
  let place = START;
  for (const entry of timeline) {
    if (entry.kind === "turn") yield [place, entry] as const;
    if (isPlace(entry)) place = entry.id;
  }
}

/** Where a version is shown and nothing lies behind it, the switch at the message tells the same as the mark. */
function quietMarks(
  { timeline, undone }: Pick<SessionView, "timeline" | "undone">,
  sent: ReadonlyMap<string, ReadonlyMap<string, Sent>>,
): Set<string> {
  const quiet = new Set<string>();
  const lastTurn = timeline.findLastIndex(({ kind }) => kind === "turn");
  for (const [index, { id }] of timeline.entries()) {
    const left = undone.get(id);
    if (!left) continue;
    const place = endOf(timeline.slice(0, index));
    const isShown = index < lastTurn || !sent.has(place);
    if (endOf(left) !== place && isShown) quiet.add(id);
  }
  return quiet;
}

/** The place of a turn that would follow. */
function endOf(timeline: readonly TimelineEntry[]): string {
  return timeline.findLast(isPlace)?.id ?? START;
}

/** A cleared conversation begins anew. */
function isPlace({ kind, id }: TimelineEntry): boolean {
  return kind === "turn" || id.startsWith("cleared-");
}
