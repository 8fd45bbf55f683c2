import type { ChangedContent, ChangedVersion } from "../../../session/files/changes.ts";
import { includesScope } from "../principal/scopes.ts";
import type { SessionEnvironment } from "../session-environment.ts";
import { isHidden } from "./file-place.ts";

/** Characters after which an answer is cut, behind a whole file. */
const MAX_LENGTH = 2_000_000;

/** Both versions of changed files, without what the principal may not read among the files of the workspace. */
export async function changesAnswer(
  { session, principal }: SessionEnvironment["Variables"],
  { paths, turnId }: { paths: readonly string[]; turnId?: string },
): Promise<{ files: ChangedContent[]; isTruncated: boolean }> {
  const { fs, cwd } = session.workspace;
  const root = `${(await fs.realpath(cwd)).replace(/\/$/, "")}/`;
  const isAdmin = includesScope(principal.scopes, "admin");
  const files: ChangedContent[] = [];
  let length = 0;
  for (const path of paths) {
    if (length > MAX_LENGTH) return { files, isTruncated: true };
    const isBelow = path.startsWith(root) && !isHidden(path.slice(root.length), principal);
    if (!isAdmin && !isBelow) continue;
    for (const content of await session.changes.changedContents([path], turnId)) {
      files.push(content);
      length += lengthOf(content.before) + lengthOf(content.after);
    }
  }
  return { files, isTruncated: false };
}

function lengthOf(version: ChangedVersion): number {
  return typeof version === "string" ? version.length : 0;
}
