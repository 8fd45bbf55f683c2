import { sha256 } from "../../digest.ts";
import { callSafely, FileSystemError } from "../../errors.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import type { Platform } from "../../ports/platform.ts";

/** A part of a workspace that is in force only when the workspace is trusted. */
export interface WorkspaceFinding {
  /** The file that contains it, as people write it, such as `.robota/settings.json`. */
  file: string;
  /** Kind of the part, such as `hooks.PreToolUse`, `permissions.allow`, or `agent`. */
  setting: string;
  /**
   * Its complete content, for a person: a hook's definition and other settings on one line, a file of an agent or of
   * instructions on its own lines. Invisible characters are escaped, and long runs of spaces too. Show all of it: a yes
   * is a yes to all of it.
   */
  detail: string;
}

/** The question to a person before something of a workspace runs, or allows anything, in their name. */
export interface WorkspaceTrustRequest {
  /** Canonical path of the workspace. */
  cwd: string;
  /** True when it was trusted before and has changed since. */
  isChanged: boolean;
  findings: readonly WorkspaceFinding[];
  /** Aborts when the answer is no longer needed. */
  signal: AbortSignal;
}

/**
 * The decision to trust a workspace: asked of a person, whose yes is remembered for the parts found; or made by the
 * program for this session alone. `true` is a yes to the parts present when the session opens, and to nothing that
 * appears or changes later.
 */
export type WorkspaceTrust =
  | boolean
  | ((request: WorkspaceTrustRequest) => boolean | Promise<boolean>);

/** The state of trust; `not-needed`: nothing in the workspace acts or allows anything. */
export type TrustState = "trusted" | "untrusted" | "not-needed";

/** A part found in one file, to be shown and to be compared with its later content. */
export interface TrustedPart extends Omit<WorkspaceFinding, "detail"> {
  value: unknown;
}

/** Runs of whitespace that push the following text out of sight. */
const GAPS = / {17,}|\t{5,}/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Resolves to whether the parts found may be in force; asks at most once. Only a plain yes counts. */
export async function isTrusted(
  platform: Pick<Platform, "fs" | "storage" | "now">,
  found: { cwd: string; parts: readonly TrustedPart[] },
  trust: WorkspaceTrust | undefined,
  signal: AbortSignal,
): Promise<TrustState> {
  if (found.parts.length === 0) return "not-needed";
  if (typeof trust === "boolean") return trust ? "trusted" : "untrusted";
  const { storage } = platform;
  // Keyed by canonical path: a link to a workspace is that workspace, and a nested workspace is a separate one.
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

/**
 * The canonical path. Parts may come from the home, so the working directory need not exist: then the path stays as
 * given.
 */
async function realPath(fs: FileSystem, path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "ENOENT") return path;
    throw error;
  }
}

/** Asks for trust; a failed question counts as a no. */
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

/** A text that is unique to the part, and stable. */
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

/** The remembered digest; an unreadable one counts as a no. */
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

/** A text that is unique to the content, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}
