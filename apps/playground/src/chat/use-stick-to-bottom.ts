import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** A part that wants a person's answer before the conversation goes on; more of its turn may follow below it. */
const QUESTION = '[data-part="plan"]';
/** Room that is kept around it. In CSS pixels. */
const MARGIN = 16;
/** Closer to the bottom than this counts as being there. In CSS pixels. */
const NEAR = 48;

export interface StickToBottom {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** True when more arrived below while the person reads above. */
  hasNew: boolean;
  /** True until the person scrolls away from the end. */
  isFollowing: () => boolean;
  /** To the end, past a question in it. */
  toBottom: () => void;
  /** To the end after sending, or to the question in it where the reply is already there. */
  toReply: () => void;
}

/** Keeps a growing list at its end, or at the question in it, until the person scrolls away from there. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  /** Where the view was last seen. In CSS pixels. */
  const seen = useRef({ top: 0, height: 0 });
  /** The question that the person has scrolled away from. */
  const left = useRef<Element>(null);
  const [hasNew, setHasNew] = useState(false);

  const isFollowing = useCallback(() => pinned.current, []);

  const follow = useCallback(() => {
    const element = scroller.current;
    const grown = content.current;
    // The cards of an empty conversation are read from their top.
    if (!element || !grown || isEmpty(element)) return;
    pinned.current = true;
    element.scrollTop = element.scrollHeight;
    const question = findQuestion(grown);
    if (question && question !== left.current) element.scrollTop -= hiddenAbove(question, element);
    seen.current = placeOf(element);
  }, []);

  const toReply = useCallback(() => {
    follow();
    setHasNew(false);
  }, [follow]);

  const toBottom = useCallback(() => {
    left.current = content.current && findQuestion(content.current);
    toReply();
  }, [toReply]);

  useEffect(() => {
    const element = scroller.current;
    const grown = content.current;
    if (!element || !grown) return;
    let length = grown.offsetHeight;
    seen.current = placeOf(element);

    const onScroll = () => {
      const before = seen.current;
      const now = placeOf(element);
      seen.current = now;
      if (now.top !== before.top) left.current = findQuestion(grown);
      const isNear = element.scrollHeight - now.top - now.height <= NEAR;
      // Only a person scrolls up, and a view that grew past the end. Distance from the bottom can also come from new
      // content since the last frame.
      if (isNear) pinned.current = true;
      else if (now.top < before.top && now.height === before.height) pinned.current = false;
      if (pinned.current) setHasNew(false);
    };
    // One observer for the whole list and for its viewport, which changes with the dock and the keyboard.
    const observer = new ResizeObserver(() => {
      if (isEmpty(element)) return;
      if (pinned.current) follow();
      else if (grown.offsetHeight > length + 1) setHasNew(true);
      length = grown.offsetHeight;
    });
    observer.observe(grown);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [follow]);

  return { scroller, content, hasNew, isFollowing, toBottom, toReply };
}

function placeOf({ scrollTop, clientHeight }: Element): { top: number; height: number } {
  return { top: scrollTop, height: clientHeight };
}

/** Looked for in the last turn only: a conversation grows with each frame and may be long. */
function findQuestion(conversation: Element): Element | null {
  const turns = conversation.getElementsByTagName("article");
  return turns[turns.length - 1]?.querySelector(QUESTION) ?? null;
}

/** How far an element lies above the view, as far as its end can be seen then. */
function hiddenAbove(element: Element, view: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  const frame = view.getBoundingClientRect();
  const hidden = frame.top + MARGIN - top;
  const room = frame.bottom - MARGIN - bottom;
  return Math.max(0, Math.min(hidden, room));
}

function isEmpty(scroller: HTMLElement): boolean {
  return scroller.dataset["empty"] !== undefined;
}
