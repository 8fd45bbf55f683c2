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
  /** SHA-256 of the findings, for which a yes is remembered. */
  digest: string;
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

/** The part of a platform that remembers trust. */
export type TrustHost = Pick<Platform, "fs" | "storage">;

/** The parts found in a workspace, and who decides on them. */
export interface TrustQuestion {
  cwd: string;
  parts: readonly TrustedPart[];
  trust: WorkspaceTrust | undefined;
  /** Called with the parts, whoever decides. */
  onParts?: ((request: WorkspaceTrustRequest) => void) | undefined;
  signal: AbortSignal;
}

/** Resolves to whether the parts found may be in force; asks at most once. Only a plain yes counts. */
export async function isTrusted(
  platform: TrustHost & Pick<Platform, "now">,
  { parts, trust, onParts, signal, ...found }: TrustQuestion,
): Promise<TrustState> {
  if (parts.length === 0) return "not-needed";
  if (typeof trust === "boolean" && !onParts) return trust ? "trusted" : "untrusted";
  const { storage } = platform;
  const { cwd, key } = await placeOf(platform, found.cwd);
  const digest = await sha256(canonical(parts));
  const remembered = digestIn(await storage.get(key));
  const isChanged = remembered !== undefined && remembered !== digest;
  const request = { cwd, isChanged, findings: parts.map(findingOf), digest, signal };
  onParts?.(request);
  if (typeof trust === "boolean") return trust ? "trusted" : "untrusted";
  if (remembered === digest) return "trusted";
  if (!trust) return "untrusted";
  const isYes = await ask(trust, request);
  if (!isYes) return "untrusted";
  const record = { v: 1, cwd, digest, at: platform.now() };
  await storage.set(key, encoder.encode(JSON.stringify(record)));
  return "trusted";
}

/** A remembered yes. */
export interface RememberedTrust {
  /** SHA-256 of the parts that it is for. */
  digest: string;
  /** Milliseconds since the epoch; absent in a damaged record. */
  at?: number | undefined;
  /** The key of the record in the platform's storage. */
  key: string;
}

/** The remembered yes to a workspace, whatever it has now. */
export async function rememberedTrust(
  platform: TrustHost,
  workspace: string,
): Promise<RememberedTrust | undefined> {
  const { key } = await placeOf(platform, workspace);
  const bytes = await platform.storage.get(key);
  const digest = digestIn(bytes);
  if (!bytes || digest === undefined) return undefined;
  const { at }: { at?: unknown } = JSON.parse(decoder.decode(bytes));
  return { digest, key, at: typeof at === "number" ? at : undefined };
}

/** Takes a remembered yes back. Resolves to false when there is none. */
export async function forgetTrust(platform: TrustHost, workspace: string): Promise<boolean> {
  const { key } = await placeOf(platform, workspace);
  const isRemembered = (await platform.storage.get(key)) !== undefined;
  await platform.storage.delete(key);
  return isRemembered;
}

/** Keyed by canonical path: a link to a workspace is that workspace, and a nested workspace is a separate one. */
async function placeOf({ fs }: TrustHost, path: string): Promise<{ cwd: string; key: string }> {
  const cwd = await realPath(fs, path);
  return { cwd, key: `trust/${await sha256(cwd)}` };
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
