/** Signs that a person is about to use the page. Moving the pointer is one: it comes before the click. */
const FIRST_USES = [
  "pointermove",
  "pointerdown",
  "keydown",
  "click",
  "input",
  "paste",
  "dragenter",
];

/** Resolves when a person is about to use the page: one who only looks needs no session. */
export function firstUse(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const use = (event: Event): void => {
    // A browser also reports a resting pointer, when the page below it changes.
    if (event instanceof PointerEvent && event.type === "pointermove" && !isMoved(event)) return;
    for (const sign of FIRST_USES) removeEventListener(sign, use);
    resolve();
  };
  for (const sign of FIRST_USES) addEventListener(sign, use, { passive: true });
  return promise;
}

function isMoved({ movementX, movementY }: PointerEvent): boolean {
  return movementX !== 0 || movementY !== 0;
}
