import type { SessionCore } from "../core.ts";
import { type FileToRestore, requireUnchanged } from "./changes.ts";
import { type RewindResult, rewindTo } from "./rewind.ts";

/** Rewinds single files, unless one of them was changed since it was listed. @throws {SessionError} as `rewindTo`, `FILE_CHANGED` */
export async function restoreFiles(
  core: SessionCore,
  checkpointId: string,
  wanted: readonly FileToRestore[],
): Promise<RewindResult> {
  await requireUnchanged(core.platform.fs, wanted);
  const paths = wanted.map((file) => (typeof file === "string" ? file : file.path));
  return rewindTo(core, checkpointId, "files", paths);
}
