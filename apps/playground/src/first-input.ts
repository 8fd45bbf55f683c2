import { sessionInAddress } from "./state/address.ts";
import { writeDraft } from "./state/preferences.ts";

declare global {
  /** The button that was clicked on the first screen; `head.js` notes it. */
  var clickedFirst: HTMLButtonElement | null | undefined;
}

/**
 * Keeps what a person has done on the first screen, which is there before the page's code is: a typed message becomes the
 * draft. Returns a function that clicks the clicked button again, once it can act.
 */
export function takeFirstInput(root: HTMLElement): () => void {
  const typed = root.querySelector("textarea")?.value;
  if (typed && !sessionInAddress()) writeDraft("new", typed);
  const clicked = globalThis.clickedFirst;
  return () => {
    if (!clicked) return;
    const buttons = root.querySelectorAll("button");
    [...buttons].find((button) => nameOf(button) === nameOf(clicked))?.click();
  };
}

function nameOf(button: HTMLButtonElement): string | null {
  return button.getAttribute("aria-label") ?? button.textContent;
}
