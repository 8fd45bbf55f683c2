import { SessionError, requireArgument } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { sha256 } from "../../digest.ts";
import type { SessionLog } from "../log/log.ts";
import { unlessFull } from "../log/storage-failures.ts";
import type { SessionState } from "../state/state.ts";
import type { NotCovered, PastVersion } from "./past-version.ts";
import type { SessionFiles } from "./session-files.ts";
import { unlessMissing } from "./versions.ts";

/** How a file differs from its earlier version. */
export type FileChangeKind = "added" | "modified" | "deleted";

/** A file or symlink that was changed in a turn, or since the session's start. */
export interface ChangedFile {
  path: string;
  kind: FileChangeKind;
  /** Its present state: as the change left it, as it was before the change, or changed once more since. */
  now: "changed" | "undone" | "changed-again";
  /** Tells the present state from others: `restoreFiles` refuses where it is another one by then. */
  stamp: string;
  /** Reason for which its earlier version was not stored: it can't be undone. */
  notCovered?: NotCovered | undefined;
}

/**
 * A version of a changed file: its text, or the size of one that is no text or over a million bytes; `null` where there
 * was none, `undefined` where it was not stored.
 */
export type ChangedVersion =
  | string
  | { size: number; reason: "binary" | "too-large" }
  | null
  | undefined;

/** Both versions of a changed file. */
export interface ChangedContent {
  path: string;
  before: ChangedVersion;
  after: ChangedVersion;
}

/** A file to restore; with the stamp of its listing, only while it is as it was then. */
export type FileToRestore = string | { path: string; stamp?: string | undefined };

/** Bytes of a version whose text is read. */
const MAX_TEXT = 1_000_000;
/** A zero among so many bytes makes it no text. */
const SNIFF = 8000;

export interface ChangeParts {
  readonly state: SessionState;
  /** Absent when the session has no files, or does not follow them. */
  readonly files: SessionFiles | undefined;
  readonly log: Pick<SessionLog, "flush">;
}

/** A version, or the present state of the path. */
type Version = PastVersion | null | "present";

/** Earlier versions without content are recorded a moment later; without room to store them, they are known all the same. */
async function settled(log: ChangeParts["log"]): Promise<void> {
  await log.flush().catch(unlessFull);
}

/** Lists the files that differ, by path. @throws {SessionError} `NOT_FOUND` for an unknown turn */
export async function changedFiles(parts: ChangeParts, turnId?: string): Promise<ChangedFile[]> {
  const { files, log } = parts;
  if (!files) return [];
  await settled(log);
  const found = await Promise.all(
    spansOf(parts.state, turnId).map(async ({ path, before, after }) => {
      if (isDirectory(before) && !notCovered(before)) return undefined;
      const present = await presentVersion(files.fs, path, [before, after]);
      const later = after === "present" ? present : after;
      if (isDirectory(later) || isSame(before, later)) return undefined;
      const changed: ChangedFile = {
        path,
        kind: before === null ? "added" : later === null ? "deleted" : "modified",
        now: stateOf({ before, after, present }),
        stamp: stampOf(present),
      };
      const reason = notCovered(before);
      return reason ? { ...changed, notCovered: reason } : changed;
    }),
  );
  return found
    .filter((file) => file !== undefined)
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Reads both versions of these files, in no order. @throws {SessionError} `NOT_FOUND` for an unknown turn */
export async function changedContents(
  parts: ChangeParts,
  paths: readonly string[],
  turnId?: string,
): Promise<ChangedContent[]> {
  requireArgument("paths", paths, "array");
  const { files, log } = parts;
  if (!files) return [];
  await settled(log);
  const wanted = new Set(paths);
  const spans = spansOf(parts.state, turnId).filter(({ path }) => wanted.has(path));
  const contents = await files.payloads.get(
    spans.flatMap(({ before, after }) => [...hashOf(before), ...hashOf(after)]),
  );
  const contentOf = async (path: string, version: Version): Promise<ChangedVersion> => {
    if (version === "present") return presentContent(files.fs, path);
    if (version === null) return null;
    if (version.type === "symlink") return version.target;
    if (!("sha256" in version)) return undefined;
    return shown(version.size, contents.get(version.sha256));
  };
  return Promise.all(
    spans.map(async ({ path, before, after }) => ({
      path,
      before: await contentOf(path, before),
      after: await contentOf(path, after),
    })),
  );
}

/** Leaves files alone that were changed since they were listed. @throws {SessionError} `FILE_CHANGED` */
export async function requireUnchanged(
  fs: FileSystem,
  wanted: readonly FileToRestore[],
): Promise<void> {
  for (const file of wanted) {
    if (typeof file === "string" || file.stamp === undefined) continue;
    if (file.stamp === stampOf(await presentVersion(fs, file.path, []))) continue;
    throw new SessionError("FILE_CHANGED", `${file.path} was changed since it was listed`);
  }
}

interface Span {
  path: string;
  before: PastVersion | null;
  after: Version;
}

function spansOf({ versions }: SessionState, turnId: string | undefined): Span[] {
  if (turnId === undefined) {
    return versions.filesAfter(0).map(({ path, before }) => ({ path, before, after: "present" }));
  }
  const changes = versions.changesIn(turnId);
  if (!changes) {
    throw new SessionError("NOT_FOUND", `There is no turn ${turnId}`, {
      hint: "checkpoints() lists the turns of the current conversation.",
    });
  }
  return changes.map(({ before, after }) => ({
    path: before.path,
    before: before.before,
    after: after ? after.before : "present",
  }));
}

interface Versions {
  before: PastVersion | null;
  after: Version;
  present: PastVersion | null;
}

function stateOf({ before, after, present }: Versions): ChangedFile["now"] {
  if (after === "present" || isSame(after, present)) return "changed";
  return isSame(before, present) ? "undone" : "changed-again";
}

/** The present version; the content counts only where it can decide. */
async function presentVersion(
  fs: FileSystem,
  path: string,
  others: readonly Version[],
): Promise<PastVersion | null> {
  const stat = await unlessMissing(fs.lstat(path));
  if (!stat) return null;
  const { size, mode, mtimeMs } = stat;
  if (stat.type === "directory") return { type: "directory", mode };
  if (stat.type === "symlink") return { type: "symlink", target: await fs.readlink(path) };
  const couldBeSame = others.some(
    (each) => each !== null && each !== "present" && "sha256" in each && each.size === size,
  );
  const bytes = couldBeSame ? await unlessMissing(fs.readFile(path)) : undefined;
  return { type: "file", size, mode, mtimeMs, sha256: bytes ? await sha256(bytes) : "" };
}

async function presentContent(fs: FileSystem, path: string): Promise<ChangedVersion> {
  const stat = await unlessMissing(fs.lstat(path));
  if (!stat) return null;
  const { type, size } = stat;
  if (type === "symlink") return fs.readlink(path);
  if (type !== "file") return undefined;
  return shown(size, size > MAX_TEXT ? undefined : await unlessMissing(fs.readFile(path)));
}

/** `bytes`: those of a version that is not too large, as far as they are there. */
function shown(size: number, bytes: Uint8Array | null | undefined): ChangedVersion {
  if (size > MAX_TEXT) return { size, reason: "too-large" };
  if (!bytes) return bytes;
  if (bytes.subarray(0, SNIFF).includes(0)) return { size, reason: "binary" };
  return new TextDecoder().decode(bytes);
}

/** Without the content: a change of the same size at the same millisecond goes unnoticed. */
function stampOf(version: PastVersion | null): string {
  if (version === null) return "none";
  if (version.type === "symlink") return `to ${version.target}`;
  return "size" in version ? `${version.size}-${version.mtimeMs}-${version.mode}` : version.type;
}

function isSame(one: PastVersion | null, other: PastVersion | null): boolean {
  if (one === null || other === null) return one === other;
  if ("notCovered" in one || "notCovered" in other || one.type !== other.type) return false;
  if (one.type === "symlink") return other.type === "symlink" && one.target === other.target;
  if (one.type === "directory" || other.type !== "file") return one.type === other.type;
  return one.type === "file" && one.sha256 === other.sha256 && one.mode === other.mode;
}

function isDirectory(version: PastVersion | null): boolean {
  return version?.type === "directory";
}

function notCovered(version: PastVersion | null): NotCovered | undefined {
  return version && "notCovered" in version ? version.notCovered : undefined;
}

function hashOf(version: Version): string[] {
  if (version === null || version === "present" || !("sha256" in version)) return [];
  return version.size > MAX_TEXT ? [] : [version.sha256];
}
