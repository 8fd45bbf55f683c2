import { type ExportOptions, type ExportSource, exportStored } from "./export.ts";

// Sessions load `export.ts` late: see permissions/evaluate-permission.ts.

/**
 * Exports a stored session as lines of JSON that any host can import, as docs/session-format.md describes them. The
 * session stays unchanged. Texts come without secrets; a file that contains one is left out and named.
 *
 * The stream fails with `NOT_FOUND` and `LOG_VERSION` (`SessionError`), and with errors of the storage and the files.
 * @throws {ValidationError} when `sessionId` is not a session id
 */
export function exportSession(
  source: ExportSource,
  sessionId: string,
  options: ExportOptions = {},
): ReadableStream<Uint8Array> {
  return exportStored(source, sessionId, options);
}
