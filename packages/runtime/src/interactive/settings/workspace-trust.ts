import { sha256 } from "../../digest.ts";
import { callSafely, FileSystemError } from "../../errors.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";

/** Something of a workspace that is in force only when the workspace is trusted. */
export interface WorkspaceFinding {
  /** The file that it stands in, as people write it, such as `.robota/settings.json`. */
  file: string;
  /** Such as `hooks.PreToolUse`, `permissions.allow`, or `agent`. */
  setting: string;
  /**
   * What it says, for a person, whole: a hook's definition and everything else of settings on one line, a file of an agent or
   * of instructions on its own lines. What can't be seen is written so that it can, long runs of spaces too. Show all of it:
   * a yes is a yes to all of it.
   */
  detail: string;
}

/** What a person is asked before something of a workspace runs, or allows anything, in their name. */
export interface WorkspaceTrustRequest {
  /** The workspace, with links followed. */
  cwd: string;
  /** Whether it was trusted before and has changed since. */
  isChanged: boolean;
  findings: readonly WorkspaceFinding[];
  /** Aborts when the answer is not needed any more. */
  signal: AbortSignal;
}

/**
 * Whether a workspace is trusted: asked of a person, whose yes is remembered for what was found; or said by the program
 * for this session alone. `true` is a yes to what is there when the session opens, and to nothing that comes or changes later.
 */
export type WorkspaceTrust =
  | boolean
  | ((request: WorkspaceTrustRequest) => boolean | Promise<boolean>);

/** `not-needed`: there is nothing in the workspace that acts or allows anything. */
export type TrustState = "trusted" | "untrusted" | "not-needed";

/** What was found in one file, to be shown and to be told from what it becomes later. */
export interface TrustedPart extends Omit<WorkspaceFinding, "detail"> {
  value: unknown;
}

/** Runs that push what follows out of sight. */
const GAPS = / {17,}|\t{5,}/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Whether what was found may be in force; asks at the most once. Only a plain yes is one. */
export async function isTrusted(
  platform: Pick<Platform, "fs" | "storage" | "now">,
  found: { cwd: string; parts: readonly TrustedPart[] },
  trust: WorkspaceTrust | undefined,
  signal: AbortSignal,
): Promise<TrustState> {
  if (found.parts.length === 0) return "not-needed";
  if (typeof trust === "boolean") return trust ? "trusted" : "untrusted";
  const { storage } = platform;
  // By where it really is: a link to a workspace is that workspace, and one inside of another is one of its own.
  const cwd = await realPath(platform.fs, found.cwd);
  const key = `trust/${await sha256(cwd)}`;
  const digest = await sha256(canonical(found.parts));
  const remembered = digestIn(await storage.get(key));
  if (remembered === digest) return "trusted";
  if (!trust) return "untrusted";
  const isYes = await ask(trust, {
    cwd,
    isChanged: remembered !== undefined,
    findings: found.parts.map(findingOf),
    signal,
  });
  if (!isYes) return "untrusted";
  const record = { v: 1, cwd, digest, at: platform.now() };
  await storage.set(key, encoder.encode(JSON.stringify(record)));
  return "trusted";
}

/** What was found may lie at the home, and a working directory that is not there yet is where it is said to be. */
async function realPath(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return path;
    throw error;
  }
}

/** An answer that could not be had is no yes. */
async function ask(
  trust: Exclude<WorkspaceTrust, boolean>,
  request: WorkspaceTrustRequest,
): Promise<boolean> {
  try {
    const answer: unknown = await trust(request);
    return answer === true && !request.signal.aborted;
  } catch (error) {
    callSafely(() => {
      throw error;
    });
    return false;
  }
}

/** The same text for the same part, and for no other. */
export function partKey({ file, setting, value }: TrustedPart): string {
  return canonical([file, setting, value]);
}

function findingOf({ file, setting, value }: TrustedPart): WorkspaceFinding {
  const text = typeof value === "string" ? visibleText(value) : visibleText(JSON.stringify(value));
  const detail = text.replaceAll(
    GAPS,
    (gap) => `\\u{${gap.startsWith(" ") ? "20" : "9"}}{${gap.length}}`,
  );
  return {
    file: visibleText(file, { singleLine: true }),
    setting: visibleText(setting, { singleLine: true }),
    detail,
  };
}

/** What can't be read is no yes either. */
function digestIn(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    const isRecord = typeof value === "object" && value !== null && "digest" in value;
    return isRecord && typeof value.digest === "string" ? value.digest : undefined;
  } catch {
    return undefined;
  }
}

/** The same text for the same content, in whatever order its keys stand. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}
