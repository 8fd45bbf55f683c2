import type { Platform } from "../ports/platform.ts";
import { importStored } from "../session/transfer/import.ts";
import type { ImportedSessionOptions, InteractiveSessionOptions } from "./options.ts";

/** Stores the session that another host exported, and resolves to the options that open it. @throws as `importSession` */
export async function importedOptions(
  platform: Platform,
  stream: ReadableStream<Uint8Array>,
  options: ImportedSessionOptions,
): Promise<InteractiveSessionOptions> {
  const { files: _files, trusted: _trusted, limits: _limits, ...rest } = options;
  const resumeSessionId = await importStored(platform, stream, options);
  return { ...rest, platform, resumeSessionId };
}
