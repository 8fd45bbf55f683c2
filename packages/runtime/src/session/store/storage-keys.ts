/** The name of a session's log, of its header and of its lease in storage. */
export function sessionKey(sessionId: string): string {
  return `sessions/${sessionId}`;
}

/** Name of the log of a session's own files. */
export function overlayKey(sessionId: string): string {
  return `overlays/${sessionId}`;
}

/** The storage key of a session's snapshot. */
export function snapshotKey(sessionId: string): string {
  return `snapshots/${sessionId}`;
}
