import { useReadable } from "@robota/react";
import type { TimelineEntry } from "@robota/react/store";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { whenIdle } from "../idle.ts";
import { revealed } from "../search/search-state.ts";
import type { StickToBottom } from "./use-stick-to-bottom.ts";

/** Entries that are drawn of a long conversation; older ones on demand. */
export const WINDOW = 100;
/** Those of them that are drawn at once. The others follow in steps of as many, so that none delays a key for long. */
const STEP = 10;
/** Time without a new entry before the others follow: a long history may arrive in parts. In milliseconds. */
const SETTLE_MS = 1_200;
/** Frames over which heights settle: an entry gets its true one only when it comes close to the view. */
const SETTLE_FRAMES = 12;
/** Signs that a person moves the view themselves. */
const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

type FollowedView = Pick<StickToBottom, "scroller" | "isFollowing">;

export interface Window {
  /** Index of the first entry that is drawn, and of the one behind the last: of a window at the end, or around what a search has found above it. */
  first: number;
  end: number;
  /** True when all of the window is drawn. */
  isFilled: boolean;
  /** Draws at least this many of the last entries from now on. */
  show: (count: number) => void;
  /** Draws more entries above those that are drawn. */
  showEarlier: () => void;
  /** Leaves what a search has found. */
  leave: () => void;
}

/** The entries of a session's timeline that are drawn. What is in view stays there when more are drawn above it. */
export function useWindow(
  sessionId: string | undefined,
  timeline: readonly TimelineEntry[],
  view: FollowedView,
): Window {
  const [grown, setGrown] = useState({ sessionId, shown: STEP });
  const shown = grown.sessionId === sessionId ? grown.shown : STEP;
  const hit = useReadable(revealed);
  const [around, setAround] = useState({ hit, above: STEP, isLeft: false });
  const { above, isLeft } = around.hit === hit ? around : { above: STEP, isLeft: false };
  const foundAt = hit && !isLeft ? timeline.findIndex(({ id }) => id === hit.entryId) : -1;
  const { length } = timeline;
  const isAbove = foundAt >= 0 && foundAt < length - shown;
  const first = Math.max(0, isAbove ? foundAt - above : length - shown);
  const end = isAbove ? Math.min(length, foundAt + WINDOW) : length;
  const isFilled = shown >= WINDOW;
  const keepPlace = useKeptPlace(view, first);

  const show = (count: number): void => {
    if (count <= shown) return;
    keepPlace();
    setGrown({ sessionId, shown: count });
  };
  const showEarlier = (): void => {
    if (!isAbove) return show(length - first + WINDOW);
    keepPlace();
    setAround({ hit, above: above + WINDOW, isLeft });
  };
  const leave = (): void => setAround({ hit, above, isLeft: true });
  const fill = useEffectEvent(() => show(length <= shown ? WINDOW : shown + STEP));

  useEffect(() => {
    if (length === 0 || isFilled) return undefined;
    if (shown > STEP) return whenIdle(fill);
    let cancel = (): void => undefined;
    const timer = setTimeout(() => (cancel = whenIdle(fill)), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [length, isFilled, shown]);

  return { first, end, isFilled, show, showEarlier, leave };
}

/** Keeps what a person reads in its place when entries are drawn above it. Returns a function to call before. */
function useKeptPlace({ scroller, isFollowing }: FollowedView, first: number): () => void {
  const before = useRef<{ entry: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const { entry, top } = before.current ?? {};
    before.current = undefined;
    const view = scroller.current;
    if (!view || !entry || top === undefined) return undefined;
    return holdAt(top, { view, entry, isFollowing });
  }, [scroller, isFollowing, first]);
  return () => {
    const view = scroller.current;
    if (!view || isFollowing()) return;
    const edge = view.getBoundingClientRect().top;
    const places = view.querySelectorAll("[data-entry]").values();
    for (const entry of places) {
      const { top, bottom } = entry.getBoundingClientRect();
      if (bottom <= edge) continue;
      before.current = { entry, top };
      return;
    }
  };
}

interface HeldPlace extends Pick<FollowedView, "isFollowing"> {
  view: Element;
  entry: Element;
}

/** Holds an entry for some frames, unless a person moves the view meanwhile. Returns the way to stop. */
function holdAt(top: number, { view, entry, isFollowing }: HeldPlace): () => void {
  let [frame, left] = [0, SETTLE_FRAMES];
  const step = (): void => {
    if (isFollowing()) return stop();
    if (entry.isConnected) view.scrollBy(0, entry.getBoundingClientRect().top - top);
    left -= 1;
    if (left > 0) frame = requestAnimationFrame(step);
    else stop();
  };
  const stop = (): void => {
    cancelAnimationFrame(frame);
    for (const move of MOVES) removeEventListener(move, stop);
  };
  for (const move of MOVES) addEventListener(move, stop, { passive: true });
  step();
  return stop;
}
