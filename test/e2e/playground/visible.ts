import type { Locator } from "playwright";

/**
 * Runs in the page: the lines of what is to be approved that can't be scrolled into view, or are covered there. Empty
 * when a person can read all of it.
 */
export function unreadableLines(): string[] {
  const dock = document.querySelector<HTMLElement>('[data-part="approval"]');
  if (!dock) return ["there is no request"];
  const parts = dock.querySelectorAll<HTMLElement>(
    '[data-part="approval-body"] pre, [data-part="diff-row"], [data-part="diff-path"]',
  );
  const unread: string[] = [];
  for (const part of parts) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    part.scrollIntoView({ block: "center" });
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (text.textContent?.trim() === "" || text.parentElement?.closest("button [hidden]"))
        continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const { length } = range.getClientRects();
      for (let line = 0; line < length; line++) {
        const place = range.getClientRects()[line];
        if (!place || place.width < 2) continue;
        const { top, height } = dock.getBoundingClientRect();
        dock.scrollTop += place.top + place.height / 2 - (top + height / 2);
        const now = range.getClientRects()[line] ?? place;
        const x = now.left + Math.min(now.width, 8) / 2;
        const found = document.elementFromPoint(x, now.top + now.height / 2);
        if (!found || !part.contains(found))
          unread.push(
            `${text.textContent?.slice(0, 40)} (line ${line}) under ${found?.outerHTML.slice(0, 80)}`,
          );
      }
    }
  }
  return unread;
}

/** Where the answers to a request are, with the note that goes with them, and the buttons alone. */
export const ANSWERS = '[data-part="approval"] > footer';
export const ANSWER_BUTTONS = `${ANSWERS} [data-part="approval-actions"]`;
/** The buttons that end the choice of a lasting allowance. */
export const SCOPE_BUTTONS = '[data-part="scope-form"] > [data-part="approval-actions"]';

/** Runs in the page: controls of a footer that are cut or covered without scrolling. */
export function unreachableAnswers(footer: string): string[] {
  const buttons = document.querySelectorAll<HTMLElement>(`${footer} :is(button, textarea)`);
  if (buttons.length === 0) return ["there is nothing to answer"];
  return [...buttons].flatMap((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found && button.contains(found) ? [] : [button.textContent || "note"];
  });
}

/** Reports whether a row is in sight from its top to its bottom in the list that scrolls it. */
export async function isInSight(row: Locator, list: Locator): Promise<boolean> {
  const [inner, outer] = await Promise.all([row.boundingBox(), list.boundingBox()]);
  if (!inner || !outer) return false;
  return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}
