import type { FileSystemChange, FileVersion } from "../../virtual/overlay/changes.ts";
import { count } from "../text-cut.ts";
import { headAndTail } from "../text-limit.ts";
import type { FileChange } from "../tool.ts";

const MAX_CHARACTERS = 20_000;
const MAX_BYTES_READ = 1_000_000;

/** True for a change that people are shown: directories appear and disappear with their content. */
export function isShownChange({ before, after }: FileSystemChange): boolean {
  return isShown(before) || isShown(after);
}

function isShown(version: FileVersion | undefined): boolean {
  return version !== undefined && version.type !== "directory";
}

/** A change as people are shown it: texts, and words for anything else. */
export async function toFileChange({ path, before, after }: FileSystemChange): Promise<FileChange> {
  const [old, next] = await Promise.all([textOf(before), textOf(after)]);
  // The text must name a change of only the mode or the time.
  if (old !== null && old === next && before && after) {
    return { path, before: `[${factsOf(before)}]`, after: `[${factsOf(after)}]` };
  }
  return { path, before: old, after: next };
}

function factsOf({ mode, mtimeMs, size }: FileVersion): string {
  const time = new Date(mtimeMs).toISOString();
  return `mode ${mode.toString(8)}, ${count(size)} bytes, changed ${time}`;
}

async function textOf(version: FileVersion | undefined): Promise<string | null> {
  if (!version) return null;
  if (version.type === "symlink") return `[link to ${version.target ?? ""}]`;
  if (version.type === "directory") return "[directory]";
  if (version.size > MAX_BYTES_READ || !version.read) return `[${count(version.size)} bytes]`;
  const bytes = await version.read();
  if (bytes.includes(0)) return `[binary, ${count(bytes.length)} bytes]`;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return headAndTail(text, MAX_CHARACTERS);
  } catch {
    return `[binary, ${count(bytes.length)} bytes]`;
  }
}
