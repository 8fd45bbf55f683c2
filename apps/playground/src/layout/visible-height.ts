/** A keyboard takes more than this; bars that come and go while scrolling take less. In pixels. */
const LEAST_KEYBOARD = 120;
/** Lower pages give the whole height to a request. */
const LOW = "(max-height: 32.5em)";

/**
 * Keeps the page above an on-screen keyboard. Most browsers make the window lower for it; Safari on iOS covers the
 * window's end and reports only what stays visible.
 */
export function followVisibleHeight(): void {
  const visible = globalThis.visualViewport;
  const low = matchMedia(LOW);
  const root = document.documentElement;
  const follow = () => {
    // A page that is zoomed in is read piece by piece.
    const isCovered = visible?.scale === 1 && innerHeight - visible.height > LEAST_KEYBOARD;
    if (isCovered) root.style.setProperty("--visible-height", `${visible.height}px`);
    else root.style.removeProperty("--visible-height");
    root.toggleAttribute("data-low", isCovered || low.matches);
    // Safari scrolls the page to the focused field, which is in sight now anyway.
    if (isCovered) scrollTo(0, 0);
  };
  visible?.addEventListener("resize", follow);
  low.addEventListener("change", follow);
  follow();
}
