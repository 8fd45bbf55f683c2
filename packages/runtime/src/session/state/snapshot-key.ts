/** The storage key of a session's snapshot. */
export function snapshotKey(sessionId: string): string {
  return `snapshots/${sessionId}`;
}
