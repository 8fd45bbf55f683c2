import { FileSystemError } from "../../../errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { describeChange } from "./change.ts";
import {
  changeFile,
  type ChangeTarget,
  openKnownText,
  type PlannedChange,
  previewChange,
} from "./planned-change.ts";
import { encodeText, lineEnding, withLineEnding } from "../text-file.ts";
import { counted } from "../../text-limit.ts";
import type { ToolContext, ToolPreview, ToolResult } from "../../tool.ts";

export type WriteArgs = {
  filePath: string;
  content: string;
};

/** The preview of a write, for the person who approves it. */
export async function previewWrite(
  args: WriteArgs,
  context: ToolContext,
): Promise<ToolPreview | undefined> {
  return previewChange(context, args.filePath, (target) => planWrite(args, target, context));
}

/** Runs the Write tool. */
export async function writeFile(args: WriteArgs, context: ToolContext): Promise<ToolResult> {
  const plan = (target: ChangeTarget) => planWrite(args, target, context);
  return writeResult(await changeFile(context, args.filePath, plan));
}

async function writeResult({ change }: PlannedChange): Promise<ToolResult> {
  const { path, before, after } = change;
  const changes = [change];
  if (before === null) {
    const lines = after.split("\n").length - (after.endsWith("\n") ? 1 : 0);
    const output = `Created ${path} (${counted(after === "" ? 0 : lines, "line")}).`;
    return { success: true, output, changes, startLine: 1 };
  }
  if (before === after) {
    return { success: true, output: `${path} already had exactly this content.`, changes: [] };
  }
  const { diff, startLine = 1 } = await describeChange(change);
  return { success: true, output: `Wrote ${path}.\n${diff}`, changes, startLine };
}

async function planWrite(
  args: WriteArgs,
  target: ChangeTarget,
  context: ToolContext,
): Promise<PlannedChange> {
  const { path, realPath } = target;
  const content = args.content.toWellFormed();
  if (!(await exists(context.platform.fs, realPath))) {
    const bytes = encodeText(content, { encoding: "utf-8", bom: false });
    return { change: { path, before: null, after: content }, bytes };
  }
  const file = await openKnownText(context, target);
  const ending = lineEnding(file.text);
  const unmarked = content.startsWith("\ufeff") ? content.slice(1) : content;
  const after = ending ? withLineEnding(unmarked, ending) : unmarked;
  return { change: { path, before: file.text, after }, bytes: encodeText(after, file) };
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return false;
    throw error;
  }
}
