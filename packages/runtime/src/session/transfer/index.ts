// Names of their own, so that a bundler keeps what sessions load late out of the first load; see permissions/index.ts.
import { exportSession as exportStored } from "./export.ts";
import { importSession as importStored } from "./import.ts";

export type { ExportOptions, ExportSource } from "./export.ts";
export type { ImportOptions, ImportTarget } from "./import.ts";

/**
 * A stored session as lines of JSON that any host can import, as docs/session-format.md describes them. Nothing of it is
 * changed. Texts come without secrets; a file that holds one is left out and named.
 *
 * Fails as it is read: `NOT_FOUND` and `LOG_VERSION` (`SessionError`), and what its storage and files fail with.
 * @throws {ValidationError} when `sessionId` is no session id
 */
export const exportSession: typeof exportStored = exportStored;

/**
 * Makes a session of what `exportSession` wrote, and resolves to its id. What comes is a stranger's: it is checked, bounded
 * and runs nothing; a request for permission that was open can be answered. Until all of it has arrived whole, there is
 * no such session.
 *
 * @throws {ValidationError} for anything that is no session, too large, or leads out of the working directory
 * @throws {SessionError} `LOG_CORRUPT` when it was cut or changed, `LOG_VERSION` when a newer version wrote it
 */
export const importSession: typeof importStored = importStored;
