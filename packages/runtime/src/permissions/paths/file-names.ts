import { PROTECTED_KINDS } from "./names/protected-kinds.ts";
import { COPY_OF, SECRET_KINDS } from "./names/secret-kinds.ts";

const BEYOND_WORKTREES =
  /\/(?:\.git|git~\d+|\.ssh|\.gnupg|authorized_keys)(?:\/|$)|^\/(?:etc|var)\/|\/library\/launch(?:agents|daemons)\//;

/**
 * A name as the most lenient file system would compare it: Unicode-normalised, case-folded, without invisible
 * characters, trailing dots and spaces, and streams behind a colon. For protecting names, never for finding files.
 */
export function foldName(name: string): string {
  return foldLetters(name)
    .replace(/(?<=[^:]):.*$/s, "")
    .replace(/(?<=[^. ])[. ]+$/, "");
}

/** A part of a name with its letters in that form: its end may be in the middle of the name. */
export function foldLetters(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  // Lower, upper, lower: so that `ß` and `ss`, or the long and the round s, become one.
  return visible.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

function foldPath(path: string): string {
  return path.split("/").map(foldName).join("/");
}

/** Describes a protected file, which no rule and no mode lets an agent write unasked; `undefined` for any other. */
export function protectedName(path: string): string | undefined {
  const folded = foldPath(path);
  return PROTECTED_KINDS.find(([pattern]) => pattern.test(folded))?.[1];
}

/** Recognizes the inside of a Git repository, but for hooks, which Git runs. */
export function isGitData(path: string): boolean {
  const repository = /\/(?:\.git|git~\d+)(?:$|(\/.*))/s.exec(foldPath(path));
  return repository !== null && !/\/hooks(?:~\d+)?\/./.test(repository[1] ?? "");
}

/**
 * Recognizes protected files that belong to no working tree: the inside of repositories, keys, and what a machine runs by
 * itself.
 */
export function isBeyondWorktrees(path: string): boolean {
  return BEYOND_WORKTREES.test(foldPath(path));
}

/**
 * Reports whether a file is of a kind that holds keys or passwords, by its name or by that of its original, for a copy.
 */
export function isSecretName(path: string): boolean {
  const folded = foldPath(path);
  return SECRET_KINDS.test(folded) || SECRET_KINDS.test(folded.replace(COPY_OF, ""));
}

/** The reason why a text is not accepted as a path: other systems would interpret it. `undefined` for a plain one. */
export function unusablePath(path: string): string | undefined {
  if (path === "") return "The path is empty.";
  if (hasControl(path)) return "The path contains control characters.";
  if (/^\\|^[A-Za-z]:|^\/\/[?.]\/|^(?:file|https?):\/\//i.test(path))
    return "The path is written for another system; write an absolute path that begins with /, or a relative one.";
  if (/:[^/:]*:\$[A-Za-z_]+$|::\$/i.test(path)) return "The path names a stream of a file.";
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(path))
    return "The path contains half a character.";
  return path.length > 4096 ? "The path is too long." : undefined;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}
