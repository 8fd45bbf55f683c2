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
  toBottom: () => void;
}

/** Keeps a growing list at its end, or at the question in it, until the person scrolls away from there. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const [hasNew, setHasNew] = useState(false);

  const isFollowing = useCallback(() => pinned.current, []);

  const toBottom = useCallback(() => {
    const element = scroller.current;
    if (!element || isEmpty(element)) return;
    pinned.current = true;
    element.scrollTop = element.scrollHeight;
    setHasNew(false);
  }, []);

  useEffect(() => {
    const element = scroller.current;
    const grown = content.current;
    if (!element || !grown) return;
    let height = grown.offsetHeight;
    let position = element.scrollTop;
    /** The question that the person has scrolled away from. */
    let left: Element | null = null;

    const follow = () => {
      element.scrollTop = element.scrollHeight;
      const question = findQuestion(grown);
      if (question && question !== left) element.scrollTop -= hiddenAbove(question, element);
      position = element.scrollTop;
    };
    const onScroll = () => {
      // By the person, or by `toBottom`.
      if (element.scrollTop !== position) left = findQuestion(grown);
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR;
      // Only a person scrolls up. Distance from the bottom can also come from new content since the last frame.
      if (isNear) pinned.current = true;
      else if (element.scrollTop < position) pinned.current = false;
      position = element.scrollTop;
      if (pinned.current) setHasNew(false);
    };
    // One observer for the whole list and for its viewport, which changes with the dock and the keyboard.
    const observer = new ResizeObserver(() => {
      // The cards of an empty conversation are read from their top.
      if (isEmpty(element)) return;
      if (pinned.current) follow();
      else if (grown.offsetHeight > height + 1) setHasNew(true);
      height = grown.offsetHeight;
    });
    observer.observe(grown);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, hasNew, isFollowing, toBottom };
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
