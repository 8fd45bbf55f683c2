/**
 * Runs in the page: what can't be read, because a box cuts it or it lies beyond the page's edges, and the controls that
 * something covers. What scrolls is readable, and so is what an ellipsis shortens on purpose.
 */
export function unreadableParts(): string[] {
  // A request lies over a phone's page.
  const sheet = document.querySelector("[data-part=approval-dock]");
  const open = [...document.querySelectorAll("dialog:modal")].at(-1) ?? sheet ?? document.body;
  const described = (element: Element, what: string): string => {
    const part = element.closest("[data-part]")?.getAttribute("data-part");
    return `${what}: ${element.textContent?.trim().slice(0, 60)} (${element.tagName} of ${part})`;
  };
  const isHidden = (element: Element): boolean =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
    !!element.closest("[data-part=visually-hidden], option, noscript");
  const scrolls = (element: Element): boolean => {
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(at);
      if (overflowX === "auto" || overflowX === "scroll") return at.scrollWidth > at.clientWidth;
      if (textOverflow === "ellipsis") return true;
    }
    return false;
  };
  const problems: string[] = [];
  const walker = document.createTreeWalker(open, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (!text.textContent?.trim() || !element || isHidden(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right, width } = range.getBoundingClientRect();
    const isBeyond = width > 0 && (left < -1 || right > innerWidth + 1);
    if (isBeyond && !scrolls(element)) problems.push(described(element, "beyond the edge"));
    const style = getComputedStyle(element);
    const clips = (axis: string): boolean => axis === "hidden" || axis === "clip";
    const isClamped = style.webkitLineClamp !== "none" || style.textOverflow === "ellipsis";
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    const isCut =
      (clips(style.overflowX) && scrollWidth > clientWidth + 1) ||
      (clips(style.overflowY) && scrollHeight > clientHeight + 2);
    if (isCut && !isClamped) problems.push(described(element, "cut"));
  }
  for (const control of open.querySelectorAll<HTMLElement>("button, input, select, textarea")) {
    if (isHidden(control) || control.matches(":disabled, [type=file]")) continue;
    // The skip link, until it has the focus.
    if (getComputedStyle(control).pointerEvents === "none") continue;
    control.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    if (control.matches("button") && control.scrollWidth > control.clientWidth + 1)
      problems.push(described(control, "too wide for its button"));
    const { left, top, width, height } = control.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    const isReached =
      found && (control.contains(found) || found.closest("label")?.control === control);
    // A menu lies over what opened it, and closes for it.
    const menu = "[popover], [data-part=command-menu]";
    const isUnderPopover = found?.closest(menu) && !control.closest(menu);
    if (!isReached && !isUnderPopover) {
      const name = control.getAttribute("aria-label") ?? control.textContent?.trim().slice(0, 50);
      const over = found?.closest("[data-part]")?.getAttribute("data-part");
      problems.push(`covered: ${name} (by ${over ?? found?.tagName ?? "nothing"})`);
    }
  }
  return [...new Set(problems)];
}
