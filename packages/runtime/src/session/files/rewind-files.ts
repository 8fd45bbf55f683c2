import type { Platform } from "../../ports/platform.ts";
import { type FileToRestore, requireUnchanged } from "./changes.ts";
import { type RewindParts, type RewindResult, rewindTo } from "./rewind.ts";

/**
 * Rewinds single files, unless one of them was changed since it was listed.
 * @throws {SessionError} as `rewindTo`, `FILE_CHANGED`
 */
export async function rewindFiles(
  parts: RewindParts & { platform: Pick<Platform, "fs"> },
  checkpointId: string,
  wanted: readonly FileToRestore[],
): Promise<RewindResult> {
  await requireUnchanged(parts.platform.fs, wanted);
  const paths = wanted.map((file) => (typeof file === "string" ? file : file.path));
  return rewindTo(parts, checkpointId, "files", paths);
}
