import type { AccessRules } from "../../ports/access.ts";
import { ToolFailure } from "../failure.ts";

export interface AccessContext {
  /** Rules for access; when omitted, all files of the file system may be reached. */
  rules?: AccessRules | undefined;
}

/** @throws {ToolFailure} `permission_denied` when the session's rules refuse the file */
export function requireAccess(
  { rules }: AccessContext,
  path: string,
  kind: "read" | "write",
): void {
  const reason = rules?.refusesFile(path, kind);
  if (reason === undefined) return;
  throw new ToolFailure("permission_denied", reason, {
    hint: "Continue without this file, or tell the person why it is needed.",
  });
}

/** Reports whether a file may be named and shown, by each of its paths. */
export function isVisible({ rules }: AccessContext, ...paths: readonly string[]): boolean {
  if (!rules) return true;
  return paths.every(
    (path, index) =>
      // Mostly a file's paths are one.
      paths.indexOf(path) < index || rules.refusesFile(path, "read") === undefined,
  );
}
