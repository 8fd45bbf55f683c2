import { SessionError, requireArgument } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { FileChange } from "../../tools/tool.ts";
import type { SessionState } from "../state/state.ts";
import type { PastVersion } from "./past-version.ts";
import type { Payloads } from "./payloads.ts";
import { NOT_KEPT } from "./restore.ts";
import type { SessionFiles } from "./session-files.ts";
import { observe } from "./versions.ts";

/** The changes of a rewind before it is made. */
export interface RewindPreview {
  /**
   * Files in the order of their paths, with their present text as `before` and the restored one as `after`; `null` for
   * a file that is not there. Directories and files that already are as they were are left out.
   */
  changes: FileChange[];
  /** Changes of content that is no text, or too large to compare. */
  binary: string[];
  /** Files that would stay as they are, each with the reason. */
  notRestored: { path: string; reason: string }[];
}

export interface PreviewParts {
  readonly state: SessionState;
  readonly files: SessionFiles | undefined;
}

/** Characters of a text that is compared. */
const MAX_TEXT = 1_000_000;

/** Computes a rewind's effect on files. @throws {SessionError} `NOT_FOUND` for an unknown checkpoint */
export async function previewRewind(
  { state, files }: PreviewParts,
  checkpointId: string,
): Promise<RewindPreview> {
  requireArgument("checkpointId", checkpointId);
  const past = state.checkpoints.filesAt(checkpointId);
  if (!past) {
    throw new SessionError("NOT_FOUND", `There is no checkpoint ${checkpointId}`, {
      hint: "checkpoints() lists the checkpoints of the current conversation.",
    });
  }
  const preview: RewindPreview = {
    changes: [],
    binary: [],
    notRestored: [...state.checkpoints.listUncovered()],
  };
  if (!files) return preview;
  const contents = await storedContents(past, files.payloads);
  for (const { path, before } of past.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    if (before && "notCovered" in before) {
      preview.notRestored.push({ path, reason: NOT_KEPT[before.notCovered] });
      continue;
    }
    const now = await presentText(files.fs, path);
    const then = pastText(before, contents);
    if (now === then) continue;
    if (now === undefined || then === undefined) preview.binary.push(path);
    else preview.changes.push({ path, before: now, after: then });
  }
  return preview;
}

function storedContents(
  past: readonly { before: PastVersion | null }[],
  payloads: Payloads,
): Promise<Map<string, Uint8Array>> {
  return payloads.get(
    past.flatMap(({ before }) => (before && "sha256" in before ? [before.sha256] : [])),
  );
}

/** `null` for nothing and for a directory, whose entries are listed themselves; `undefined` without a text. */
function pastText(
  before: PastVersion | null,
  contents: ReadonlyMap<string, Uint8Array>,
): string | null | undefined {
  if (before === null || before.type === "directory") return null;
  if ("target" in before) return before.target;
  if (!("sha256" in before)) return undefined;
  return textOf(contents.get(before.sha256));
}

async function presentText(fs: FileSystem, path: string): Promise<string | null | undefined> {
  const found = await observe(fs, path);
  if ("file" in found) return textOf(found.file.bytes);
  return pastText(found.before, new Map());
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes || bytes.length > MAX_TEXT) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
