import { colorerOf } from "./colorers.ts";
import type { Colorer, Piece } from "./kinds.ts";
import { paint } from "./paint.ts";

/** Longer texts stay plain. */
const MAX_CHARACTERS = 60_000;
/** Parts of one text that have a colour. */
const MAX_PIECES = 8_000;
/** Time of a step, after which the page draws and listens. In milliseconds. */
const STEP_MS = 6;

/** Colours the text of an element when the page has time for it, until `signal` aborts; it stays plain where that fails. */
export async function colorCode(
  element: HTMLElement,
  language: string,
  signal: AbortSignal,
): Promise<void> {
  const node = element.firstChild;
  if (!(node instanceof Text) || node.length > MAX_CHARACTERS) return;
  const text = node.data;
  const colorer = await colorerOf(language);
  if (!colorer) return;
  const pieces = await inSteps(colorer, text, signal);
  // Text that streams in meanwhile is coloured once it has come to rest.
  if (signal.aborted || !pieces || node.data !== text) return;
  signal.addEventListener("abort", paint(node, pieces.slice(0, MAX_PIECES)));
}

/** Works in idle time. `undefined` once it is aborted. */
async function inSteps(
  colorer: Colorer,
  text: string,
  signal: AbortSignal,
): Promise<readonly Piece[] | undefined> {
  const work = colorer(text);
  for (;;) {
    await idle();
    const until = performance.now() + STEP_MS;
    do {
      if (signal.aborted) return undefined;
      const { done, value } = work.next();
      if (done) return value;
    } while (performance.now() < until);
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis)
      requestIdleCallback(() => resolve(), { timeout: 1_000 });
    else setTimeout(resolve);
  });
}
