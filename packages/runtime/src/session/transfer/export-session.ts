import { type ExportOptions, type ExportSource, exportStored } from "./export.ts";

// Sessions load `export.ts` late: see permissions/evaluate-permission.ts.

/**
 * A stored session as lines of JSON that any host can import, as docs/session-format.md describes them. Nothing of it is
 * changed. Texts come without secrets; a file that holds one is left out and named.
 *
 * Fails as it is read: `NOT_FOUND` and `LOG_VERSION` (`SessionError`), and what its storage and files fail with.
 * @throws {ValidationError} when `sessionId` is not a session id
 */
export function exportSession(
  source: ExportSource,
  sessionId: string,
  options: ExportOptions = {},
): ReadableStream<Uint8Array> {
  return exportStored(source, sessionId, options);
}
