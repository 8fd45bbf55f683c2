import type { Page } from "playwright";

/** What has the focus: its role or element, its name, and whether a person sees that it has it. */
export interface Focus {
  readonly element: string;
  readonly name: string;
  readonly isVisible: boolean;
}

/** The focus of the page; `undefined` when it was lost, so that Tab would start at the top again. */
export function focusOf(page: Page): Promise<Focus | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement as HTMLElement | null;
    if (!focused || focused === document.body) return undefined;
    const label = focused.getAttribute("aria-labelledby");
    const named = label && document.getElementById(label)?.textContent;
    const name = focused.ariaLabel ?? named ?? focused.textContent ?? "";
    const hasRing = (element: Element | null): boolean => {
      if (!element) return false;
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
      const isDrawn = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
      return isDrawn && !/, 0\)$|\/ 0\)$/.test(outlineColor);
    };
    // A label around a hidden control has the ring for it; the box around the message has a border.
    const box = focused.closest("[data-part=composer-box], [data-part=search-bar]");
    const around = [focused, focused.nextElementSibling, focused.closest("label")];
    const splitter = focused.matches("[data-part=splitter]");
    const { width, height } = focused.getBoundingClientRect();
    return {
      element: focused.getAttribute("role") ?? focused.localName,
      name: name.trim().slice(0, 80),
      isVisible:
        width > 0 && height > 0 && (splitter || box !== null || around.some((one) => hasRing(one))),
    };
  });
}

/** Presses a key until the name of what has the focus matches; throws with what was passed when it never does. */
export async function pressUntil(page: Page, key: string, name: RegExp): Promise<Focus> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    if (focus && !focus.isVisible) throw new Error(`No one sees the focus on: ${focus.name}`);
    if (focus && name.test(focus.name)) return focus;
    passed.push(focus?.name ?? "(nothing)");
  }
  throw new Error(`${key} never came to ${name}: ${passed.join(" | ")}`);
}
