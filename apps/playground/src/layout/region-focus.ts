/** Moves the focus to the next (or previous) visible region, as F6 does in browsers and desktop programs. */
export function focusNextRegion(backwards: boolean): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) =>
    region.checkVisibility(),
  );
  const active = document.activeElement;
  const at = regions.findLastIndex((region) => region.contains(active));
  const step = backwards ? -1 : 1;
  const start = at < 0 && backwards ? 0 : at;
  regions.at((start + step) % regions.length)?.focus();
}

/** Moves the focus to the turn before or after the focused one; without one, to the last. */
export function focusTurn(step: 1 | -1): void {
  const turns = [...document.querySelectorAll<HTMLElement>("[data-part=turn]")];
  const at = turns.findIndex((turn) => turn.contains(document.activeElement));
  const next = at < 0 ? turns.at(-1) : turns[at + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}
