import { FileSystemError } from "../../../errors.ts";
import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import {
  isSecretName,
  protectedName,
  unusablePath,
} from "../../../permissions/paths/file-names.ts";
import { canonicalFiles } from "../../../ports/canonical-files.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { dirname } from "../../../ports/path.ts";
import { type Principal, requireScope } from "../principal/principal.ts";
import { includesScope } from "../principal/scopes.ts";
import { HttpProblem } from "../problem.ts";
import { asProblem } from "./file-problems.ts";

/** A place in a session's workspace that a request may reach. */
export interface FilePlace {
  /** Fails where a link was put on a path meanwhile. */
  fs: FileSystem;
  /** Absolute and canonical. */
  path: string;
}

/** Directories of agents and repositories with settings, which may hold keys. */
const SETTINGS = /\/\.(?:robota|claude|git)(?:\/|$)/;

/**
 * The place that a relative path names. Below the workspace only, through no link, and for settings and keys only with
 * the scope `admin`: what a caller writes is the caller's own act, and may not pass for the operator's or a person's.
 * @throws {HttpProblem} 400, 403
 */
export async function filePlace(
  session: InteractiveSession,
  text: string,
  { principal, writes }: { principal: Principal; writes: boolean },
): Promise<FilePlace> {
  const { fs, cwd } = session.workspace;
  const parts = text === "" ? [] : text.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || (text !== "" && unusablePath(text) !== undefined) || text.includes("\\"))
    throw notCanonical();
  const root = await fs.realpath(cwd);
  const path = [root === "/" ? "" : root, ...parts].join("/") || "/";
  if (needsAdmin(`/${text}`, writes)) requireScope(principal, "admin", "This file");
  if ((await placed(fs, path).catch(asProblem)) !== path) throw notCanonical();
  return { fs: canonicalFiles(fs), path };
}

/** Reports whether a path below the workspace is left out for a principal. */
export function isHidden(path: string, { scopes }: Principal): boolean {
  return !includesScope(scopes, "admin") && needsAdmin(`/${path}`, false);
}

function needsAdmin(path: string, writes: boolean): boolean {
  if (isSecretName(path)) return true;
  if (writes) return protectedName(path) !== undefined;
  return SETTINGS.test(path.normalize("NFKC").toLowerCase());
}

/** The canonical path of what is there, or would be. */
async function placed(fs: FileSystem, path: string): Promise<string> {
  try {
    // A link that leads nowhere is one too.
    if ((await fs.lstat(path)).type === "symlink") throw notCanonical();
    return await fs.realpath(path);
  } catch (error) {
    if (!isMissing(error) || path === "/") throw error;
    const parent = dirname(path);
    return (await placed(fs, parent)) === parent ? path : parent;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof FileSystemError && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function notCanonical(): HttpProblem {
  return new HttpProblem(400, "PATH_NOT_CANONICAL", "The path is not a canonical one.", {
    hint: "Use a path relative to the workspace, without `.`, `..`, empty parts, backslashes and links.",
  });
}
