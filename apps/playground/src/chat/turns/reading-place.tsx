import type { TimelineEntry } from "@robota/react/store";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect } from "react";
import { keep, readKept, writeKept } from "../../state/kept.ts";

/** The entry at the upper edge of the view, and its distance from there in CSS pixels. */
interface Place {
  entryId: string;
  offset: number;
}

export interface ReadingPlaceProps {
  sessionId: string;
  scroller: RefObject<HTMLElement | null>;
  timeline: readonly TimelineEntry[];
  /** Draws at least this many of the last entries. */
  onShow: (count: number) => void;
}

/** Closer to the end than this, a person follows what is new. In CSS pixels. */
const NEAR = 48;
/** Frames over which a place settles: what comes into view gets its true height only then. */
const SETTLE_FRAMES = 12;
/** A long history arrives in parts. In milliseconds. */
const PATIENCE_MS = 5_000;
/** Signs that a person moves the view themselves. */
const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Draws nothing. Remembers where a person reads in a session, and goes back there when they return to it. */
export function ReadingPlace({ sessionId, scroller, timeline, onShow }: ReadingPlaceProps) {
  const key = `place:${sessionId}`;

  const draw = useEffectEvent((entryId: string) => {
    const at = timeline.findIndex(({ id }) => id === entryId);
    if (at >= 0) onShow(timeline.length - at);
  });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    // The position of a view that nobody has moved is no choice: it may still be on its way to the end.
    let isMoved = false;
    const move = (): void => void (isMoved = true);
    const remember = (): void => void (isMoved && keep(key, placeOf(element)));
    const leave = (): void => {
      remember();
      writeKept();
    };
    for (const name of MOVES) addEventListener(name, move, { passive: true });
    addEventListener("pagehide", leave);
    return () => {
      for (const name of MOVES) removeEventListener(name, move);
      removeEventListener("pagehide", leave);
      // The conversation is still drawn when its effects end.
      remember();
    };
  }, [key, scroller]);

  useEffect(() => {
    const element = scroller.current;
    const place = readKept(key);
    if (!element || !isPlace(place)) return undefined;
    return settleAt(element, place, () => draw(place.entryId));
  }, [key, scroller]);

  return null;
}

/** Moves the view to a place until it stays there, or a person moves it. Returns the way to stop. */
function settleAt(element: HTMLElement, place: Place, draw: () => void): () => void {
  const since = performance.now();
  let settled = 0;
  let frame = requestAnimationFrame(step);

  function step(): void {
    const entry = element.querySelector(`[data-entry="${CSS.escape(place.entryId)}"]`);
    if (entry) {
      settled += 1;
      element.scrollTop += distance(element, entry) - place.offset;
    } else draw();
    if (settled < SETTLE_FRAMES && performance.now() - since < PATIENCE_MS)
      frame = requestAnimationFrame(step);
    else stop();
  }

  function stop(): void {
    cancelAnimationFrame(frame);
    for (const move of MOVES) removeEventListener(move, stop);
  }

  for (const move of MOVES) addEventListener(move, stop, { passive: true });
  return stop;
}

/** `undefined` at the end, which is where a conversation opens anyway. */
function placeOf(element: HTMLElement): Place | undefined {
  if (element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR) return undefined;
  const entries = [...element.querySelectorAll<HTMLElement>("[data-entry]")];
  const { top } = element.getBoundingClientRect();
  const entry = entries.find((each) => each.getBoundingClientRect().bottom > top);
  const entryId = entry?.dataset["entry"];
  return entry && entryId ? { entryId, offset: distance(element, entry) } : undefined;
}

function distance(element: Element, entry: Element): number {
  return Math.round(entry.getBoundingClientRect().top - element.getBoundingClientRect().top);
}

function isPlace(value: unknown): value is Place {
  const { entryId, offset } = (value ?? {}) as Partial<Place>;
  return typeof entryId === "string" && typeof offset === "number";
}
