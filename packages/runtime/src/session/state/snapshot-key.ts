/** The name of the value that keeps what a session was at a place in its log. */
export function snapshotKey(sessionId: string): string {
  return `snapshots/${sessionId}`;
}
