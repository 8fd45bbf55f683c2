/** Milliseconds between updates where nothing paints: a hidden page, a server, a test without a page. */
const HIDDEN_MS = 100;

/** Runs once before the next paint. Returns the way to cancel it. */
export function onNextFrame(run: () => void): () => void {
  const paints = typeof requestAnimationFrame === "function" && !globalThis.document?.hidden;
  if (!paints) return onTimer(run, HIDDEN_MS);
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}

/** Runs once, after as many milliseconds. Returns the way to cancel it. */
export function onTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
