import { RobotaError } from "../../errors.ts";
import { ToolFailure } from "../failure.ts";
import type { FileChange, ToolContext, ToolPreview } from "../tool.ts";
import { requireKnown, realPath, remember } from "./known-files.ts";
import { readBytes } from "./locate.ts";
import { decodeText, type TextFile } from "./text-file.ts";

/** Beyond this, a change is no work for a model that has to see the file. */
const MAX_FILE_BYTES = 10_000_000;

/** A change as it will be written. */
export interface PlannedChange {
  change: FileChange & { after: string };
  bytes: Uint8Array;
}

/**
 * The text of a file that is about to be changed.
 * @throws {ToolFailure} when it is missing, no text, or not what the model has read
 */
export async function openKnownText(context: ToolContext, path: string): Promise<TextFile> {
  const bytes = await readBytes(context, path, MAX_FILE_BYTES);
  const file = decodeText(bytes);
  if (!file?.exact) {
    const what = file ? "is not valid UTF-8" : "is a binary file";
    throw new ToolFailure("binary", `${path} ${what}, and a change would damage it.`, {
      hint: "Use Bash to convert or to replace it.",
    });
  }
  // Nothing of an empty file can get lost.
  if (bytes.length > 0) {
    await requireKnown(context, await realPath(context.platform.fs, path), bytes);
  }
  return file;
}

/** Makes a planned change; from then on the model knows the file's content. */
export async function writeChange(
  context: ToolContext,
  { change, bytes }: PlannedChange,
): Promise<void> {
  const { fs } = context.platform;
  await fs.writeFile(change.path, bytes);
  await remember(context, await realPath(fs, change.path), bytes);
}

/** What a person is shown of a change before it is made, or why it can't be made. */
export async function previewChange(plan: () => Promise<PlannedChange>): Promise<ToolPreview> {
  try {
    const { change } = await plan();
    return { changes: [change] };
  } catch (error) {
    if (error instanceof RobotaError) return { note: `The call will fail: ${error.message}` };
    throw error;
  }
}
