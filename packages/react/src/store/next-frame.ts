/** Milliseconds between updates where nothing paints: a hidden page, a server, a test without a page. */
const HIDDEN_MS = 100;

/** Runs once before the next paint. Returns the way to cancel it. */
export function onNextFrame(run: () => void): () => void {
  const paints = typeof requestAnimationFrame === "function" && !globalThis.document?.hidden;
  if (!paints) {
    const timer = setTimeout(run, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}
