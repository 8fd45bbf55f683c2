import { FileSystemError, RobotaError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { basename, dirname, resolvePath } from "../../../ports/path.ts";
import { canonicalFiles } from "../../../ports/canonical-files.ts";
import { ToolFailure } from "../../failure.ts";
import type { FileChange, ToolContext, ToolPreview } from "../../tool.ts";
import { requireAccess } from "../access.ts";
import { oneAtATime, requireKnown, remember } from "./known-files.ts";
import { locate } from "../locate.ts";
import { openFile, readWhole, tooLarge } from "../read/open-file.ts";
import { decodeText, type TextFile } from "../text-file.ts";

/** Limit above which a file is too large for a model that must read it first. */
const MAX_FILE_BYTES = 10_000_000;
const MAX_LINKS = 40;

/** The file that a change is about. */
export interface ChangeTarget {
  /** Path as the model wrote it. */
  path: string;
  /** Canonical path; the file itself need not exist. */
  realPath: string;
}

/** A change that is about to be written. */
export interface PlannedChange {
  change: FileChange & { after: string };
  bytes: Uint8Array;
}

export type PlanChange<Plan extends PlannedChange> = (target: ChangeTarget) => Promise<Plan>;

/** Plans a change of a file and makes it, while no other change of the session is made to the same file. */
export async function changeFile<Plan extends PlannedChange>(
  context: ToolContext,
  filePath: string,
  plan: PlanChange<Plan>,
): Promise<Plan> {
  const target = await targetOf(context, filePath);
  return oneAtATime(context, target.realPath, async () => {
    const planned = await checked(plan, target);
    await write(context, target, planned);
    return planned;
  });
}

/** The preview of a change, or the reason why it is impossible. */
export async function previewChange(
  context: ToolContext,
  filePath: string,
  plan: PlanChange<PlannedChange>,
): Promise<ToolPreview> {
  try {
    const target = await targetOf(context, filePath);
    const { change } = await checked(plan, target);
    const { path, realPath } = target;
    const note = path === realPath ? {} : { note: `${path} leads to ${realPath}.` };
    return { changes: [change], ...note };
  } catch (error) {
    if (error instanceof RobotaError) return { note: `The call will fail: ${error.message}` };
    throw error;
  }
}

/**
 * The text of a file to be changed.
 * @throws {ToolFailure} when it is missing, not text, or not what the model has read
 */
export async function openKnownText(
  context: ToolContext,
  { path, realPath }: ChangeTarget,
): Promise<TextFile> {
  await using opened = await openFile(context, path, "write");
  if (opened.path !== realPath) throw moved(path);
  if (opened.size > MAX_FILE_BYTES) throw tooLarge(path, opened.size, MAX_FILE_BYTES);
  const bytes = await readWhole(opened);
  const file = decodeText(bytes);
  if (!file?.exact) {
    const what = file ? `is not valid ${file.bom ? "Unicode" : "UTF-8"}` : "is a binary file";
    throw new ToolFailure("binary", `${path} ${what}, and a change would damage it.`, {
      hint: "Use Bash to convert or to replace it.",
    });
  }
  // An empty file has nothing to lose.
  if (bytes.length > 0) await requireKnown(context, realPath, bytes);
  return file;
}

async function targetOf(context: ToolContext, filePath: string): Promise<ChangeTarget> {
  const path = locate(context, filePath);
  requireAccess(context, path, "write");
  const realPath = await realTarget(context.platform.fs, path);
  requireAccess(context, realPath, "write");
  return { path, realPath };
}

async function checked<Plan extends PlannedChange>(
  plan: PlanChange<Plan>,
  target: ChangeTarget,
): Promise<Plan> {
  const planned = await plan(target);
  if (target.realPath.toLowerCase().endsWith(".ipynb")) {
    const { requireNotebook } = await import("../read/notebook.ts");
    requireNotebook(target.path, planned.change.after);
  }
  return planned;
}

/** Writes to the file that the rules were asked about, and not to where its path may lead by now. */
async function write(
  context: ToolContext,
  { path, realPath }: ChangeTarget,
  { change, bytes }: PlannedChange,
): Promise<void> {
  const files = canonicalFiles(context.platform.fs);
  try {
    if (change.before === null) await files.mkdir(dirname(realPath), { recursive: true });
    await files.writeFile(realPath, bytes);
  } catch (error) {
    const isMoved = error instanceof FileSystemError && error.code === "ELOOP";
    throw isMoved ? moved(path, error) : error;
  }
  await remember(context, realPath, bytes);
}

function moved(path: string, cause?: FileSystemError): ToolFailure {
  return new ToolFailure("stale", `${path} led to another file while it was being changed.`, {
    cause,
    hint: "Read it again to see where it leads now.",
  });
}

/** The target of a write to `path`: as `realpath`, also for a missing file and for a dangling link. */
async function realTarget(fs: FileSystem, path: string, links = 0): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!(error instanceof FileSystemError && error.code === "ENOENT")) throw error;
  }
  const parent = path === "/" ? path : await realTarget(fs, dirname(path), links);
  const entry = resolvePath(parent, basename(path));
  const target = await linkTarget(fs, entry);
  if (target === undefined) return entry;
  if (links >= MAX_LINKS) throw new FileSystemError("ELOOP", path);
  return realTarget(fs, resolvePath(parent, target), links + 1);
}

async function linkTarget(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await fs.readlink(path);
  } catch (error) {
    if (error instanceof FileSystemError && /^(?:ENOENT|EINVAL)$/.test(error.code))
      return undefined;
    throw error;
  }
}
