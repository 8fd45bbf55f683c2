import { defined } from "../../defined.ts";
import { errorMessage, FileSystemError } from "../../errors.ts";
import { canonicalFiles } from "../../ports/canonical-files.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { dirname, isWithin, resolvePath } from "../../ports/path.ts";
import { describeChange } from "../../tools/files/edit/change.ts";
import { isShownChange, toFileChange } from "../../tools/files/shown-changes.ts";
import { counted, headAndTail } from "../../tools/text-limit.ts";
import type { FileChange, Tool, ToolResult } from "../../tools/tool.ts";
import type { Delegation } from "./delegation.ts";
import { type IsolatedChange, type IsolatedFiles, versionOf } from "./isolated-files.ts";

/** Files whose changes a person is shown in one request; the others are named. */
const MAX_SHOWN = 50;
/** Characters of the changes that a model is shown because they could not be merged. */
const MAX_CONFLICTS = 10_000;
const CHANGED_MEANWHILE = "it has changed meanwhile";

/** The merge as rules know it: a tool that writes files. */
const MERGE: Pick<Tool, "name" | "access" | "patternArgument" | "patternKind"> = {
  name: "AgentMerge",
  access: "write",
  patternArgument: "filePath",
  patternKind: "path",
};

export interface MergeOptions extends Pick<Delegation, "ask" | "explain"> {
  files: IsolatedFiles;
  /** The files of the session, which records their changes. */
  target: FileSystem;
  /** Directories of the workspace; a change elsewhere is not merged. */
  roots: readonly string[];
  agent: { id: string; type: string };
  signal: AbortSignal;
}

interface Left {
  path: string;
  why: string;
  change: IsolatedChange;
}

/**
 * Has a person decide on the changes of an agent's copy, and merges those that are wanted: never over a file that has
 * changed since the agent changed its copy of it, and never against a rule. The result reports the outcome.
 */
export async function mergeFiles(options: MergeOptions, result: ToolResult): Promise<ToolResult> {
  const { files, signal } = options;
  const changes = await files.changes();
  if (changes.length === 0) return result;
  if (signal.aborted) return withText(result, thrownAway(changes, "the agent was ended"));
  const { wanted, left } = await sortedOut(options, changes);
  if (wanted.length === 0) return withText(result, await leftOutText(left));
  const decision = await options.ask({
    tool: MERGE.name,
    args: { agent: options.agent.type, files: wanted.map(({ path }) => path) },
    reason: `The agent "${options.agent.type}" has changed ${counted(wanted.length, "path")} in its copy of the files.`,
    paths: wanted.map(({ path }) => path),
    preview: await previewOf(wanted, left),
  });
  if (!decision.allow) {
    const why = decision.reason ? `not merged: ${decision.reason}` : "not merged";
    return withText(result, thrownAway(changes, why));
  }
  const shown = await Promise.all(wanted.filter(isShownChange).map(toFileChange));
  const late = await apply(options.target, wanted);
  const isMerged = (path: string): boolean => !late.some((each) => each.path === path);
  const merged = wanted.map(({ path }) => path).filter(isMerged);
  const text = [
    ...(merged.length > 0 ? [`Its changes were merged: ${list(merged)}.`] : []),
    await leftOutText([...left, ...late]),
  ].filter((part) => part !== "");
  const taken = shown.filter(({ path }) => isMerged(path));
  return {
    ...withText(result, text.join("\n")),
    ...defined({ changes: taken.length > 0 ? [...(result.changes ?? []), ...taken] : undefined }),
  };
}

/** The changes that can be merged, and the others with their reasons. */
async function sortedOut(
  { explain, roots }: MergeOptions,
  changes: readonly IsolatedChange[],
): Promise<{ wanted: IsolatedChange[]; left: Left[] }> {
  const wanted: IsolatedChange[] = [];
  const left: Left[] = [];
  for (const change of changes) {
    const why = await reasonAgainst(change);
    if (why === undefined) wanted.push(change);
    else left.push({ path: change.path, why, change });
  }
  return { wanted, left };

  async function reasonAgainst(change: IsolatedChange): Promise<string | undefined> {
    const { path, after, hasConflict } = change;
    const isInside = (place: string): boolean => roots.some((root) => isWithin(root, place));
    if (!isInside(path)) return "it is outside of the workspace";
    const { target } = after ?? {};
    if (target !== undefined && !isInside(resolvePath(dirname(path), target)))
      return "it is a link that leads out of the workspace";
    if (hasConflict) return CHANGED_MEANWHILE;
    const { decision, reason } = await explain(MERGE, { filePath: path });
    return decision === "deny" ? reason : undefined;
  }
}

async function previewOf(
  wanted: readonly IsolatedChange[],
  left: readonly Left[],
): Promise<{ changes: FileChange[]; note?: string }> {
  const files = wanted.filter(isShownChange);
  const changes = await Promise.all(files.slice(0, MAX_SHOWN).map(toFileChange));
  const rest = files.length - changes.length;
  const notes = [
    ...(rest > 0 ? [`${counted(rest, "more file")} not shown.`] : []),
    ...left.map(({ path, why }) => `Not merged: ${path}: ${why}.`),
  ];
  return defined({ changes, note: notes.length > 0 ? notes.join("\n") : undefined });
}

/** Writes changes to files that are still as they were. Returns those that could not be made. */
async function apply(target: FileSystem, changes: readonly IsolatedChange[]): Promise<Left[]> {
  const fs = canonicalFiles(target);
  const left: Left[] = [];
  const deletions = changes.filter(({ after }) => !after).toReversed();
  for (const change of [...changes.filter(({ after }) => after), ...deletions]) {
    const { path, present } = change;
    try {
      if ((await versionOf(target, path)) === present) await write(fs, change);
      else left.push({ path, why: CHANGED_MEANWHILE, change });
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      left.push({ path, why: errorMessage(error), change });
    }
  }
  return left;
}

async function write(fs: FileSystem, { path, before, after }: IsolatedChange): Promise<void> {
  // Not recursive: an entry that appeared meanwhile makes this fail.
  if (before && (!after || before.type !== after.type || after.type === "symlink"))
    await fs.remove(path);
  if (!after) return;
  await fs.mkdir(dirname(path), { recursive: true });
  if (after.type === "directory") return fs.mkdir(path, { recursive: true });
  if (after.type === "symlink") return fs.symlink(after.target ?? "", path);
  await fs.writeFile(path, (await after.read?.()) ?? new Uint8Array());
  const { mode } = await fs.lstat(path);
  if (mode !== after.mode) await fs.chmod(path, after.mode);
}

/** The report on unmerged files, with the agent's version of those that others changed. */
async function leftOutText(left: readonly Left[]): Promise<string> {
  const lines: string[] = [];
  for (const { path, why, change } of left) {
    lines.push(`Not merged: ${path}: ${why}.`);
    if (why !== CHANGED_MEANWHILE || !isShownChange(change)) continue;
    const { diff } = await describeChange(await toFileChange(change));
    if (diff !== "") lines.push("Its version, against the present one:", diff);
  }
  return headAndTail(lines.join("\n"), MAX_CONFLICTS);
}

function thrownAway(changes: readonly IsolatedChange[], why: string): string {
  return `Its changes in its copy of the files were discarded (${why}): ${list(changes.map(({ path }) => path))}.`;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_SHOWN).join(", ");
  const rest = paths.length - MAX_SHOWN;
  return rest > 0 ? `${shown}, and ${counted(rest, "more path")}` : shown;
}

function withText(result: ToolResult, text: string): ToolResult {
  const { output } = result;
  if (text === "") return result;
  return {
    ...result,
    output:
      typeof output === "string" ? `${output}\n\n${text}` : [...output, { type: "text", text }],
  };
}
