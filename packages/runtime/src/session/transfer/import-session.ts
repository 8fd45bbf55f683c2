import type { ImportOptions, ImportTarget } from "./import.ts";

/**
 * Creates a session from the output of `exportSession`, and resolves to its id. The input is untrusted: it is checked,
 * bounded and runs nothing; an open request for permission can be answered. The session does not exist until it has
 * arrived completely.
 *
 * @throws {ValidationError} for anything that is not a session, is too large, or leads out of the working directory
 * @throws {SessionError} `LOG_CORRUPT` when it was truncated or changed, `LOG_VERSION` when a newer version wrote it
 */
export async function importSession(
  platform: ImportTarget,
  stream: ReadableStream<Uint8Array>,
  options: ImportOptions = {},
): Promise<string> {
  const { importStored } = await import("./import.ts");
  return importStored(platform, stream, options);
}
