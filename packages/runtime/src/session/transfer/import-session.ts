import type { ImportOptions, ImportTarget } from "./import.ts";

/**
 * Makes a session of what `exportSession` wrote, and resolves to its id. What comes is a stranger's: it is checked, bounded
 * and runs nothing; a request for permission that was open can be answered. Until all of it has arrived whole, there is
 * no such session.
 *
 * @throws {ValidationError} for anything that is not a session, too large, or leads out of the working directory
 * @throws {SessionError} `LOG_CORRUPT` when it was cut or changed, `LOG_VERSION` when a newer version wrote it
 */
export async function importSession(
  platform: ImportTarget,
  stream: ReadableStream<Uint8Array>,
  options: ImportOptions = {},
): Promise<string> {
  const { importStored } = await import("./import.ts");
  return importStored(platform, stream, options);
}
