/** Name of the log of a session's own files. */
export function overlayKey(sessionId: string): string {
  return `overlays/${sessionId}`;
}
