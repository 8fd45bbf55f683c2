/** The least width and height of what a finger presses, in CSS pixels. */
export const TOUCH = 44;

/**
 * Runs in the page: the controls that a finger can miss, with the size of the area that reacts. A label counts as a part
 * of its control; links within a sentence are exempt, as in WCAG 2.2.
 */
export function smallTargets(least: number): string[] {
  const controls =
    "button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=treeitem], [role=option], [role=switch], [role=separator][tabindex]";
  const isSentence = (element: Element): boolean =>
    element.matches("a") && getComputedStyle(element).display === "inline";
  const size = (element: Element): [width: number, height: number] | undefined => {
    const reacts = (x: number, y: number): boolean => {
      const found = document.elementFromPoint(x, y);
      return !!found && (element.contains(found) || found.closest("label")?.control === element);
    };
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    // What lies under a dialog or a menu is no target now.
    if (!reacts(x, y)) return undefined;
    const reach = (dx: number, dy: number): number => {
      let steps = 1;
      while (steps < least && reacts(x + dx * steps, y + dy * steps)) steps++;
      return steps;
    };
    return [reach(-1, 0) + reach(1, 0), reach(0, -1) + reach(0, 1)];
  };
  return [...document.querySelectorAll<HTMLElement>(controls)].flatMap((element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(":disabled"))
      return [];
    if (isSentence(element)) return [];
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const [width, height] = size(element) ?? [least, least];
    if (width >= least && height >= least) return [];
    const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 50);
    const part = element.closest("[data-part]")?.getAttribute("data-part");
    return [`${name || element.tagName} (${part}): ${width} × ${height}`];
  });
}
