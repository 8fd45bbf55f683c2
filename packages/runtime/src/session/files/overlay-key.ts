/** The name of the log that keeps what a session has changed in files of its own. */
export function overlayKey(sessionId: string): string {
  return `overlays/${sessionId}`;
}
