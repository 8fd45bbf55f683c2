import type { WorktreeWrite } from "../../ports/access.ts";
import { isWithin } from "../../ports/path.ts";
import { isBeyondWorktrees, protectedName } from "../paths/file-names.ts";

/** The part of an approval that lets `git` write protected files of its working tree. */
export interface Seen {
  /** True when a person approved the running call as it runs: not a hook, and not with other arguments. */
  isSeen?: boolean | undefined;
  /** Protected files that the request showed. */
  shownFiles?: readonly string[] | undefined;
  /** Called when a protected file is refused that a person could allow. */
  onProtected?: ((path: string) => void) | undefined;
}

const ASKED_NEXT =
  "A person can let git write it: run the same line once more, and they are asked.";
const NOT_SHOWN =
  "The request for this line did not show it, since its dry run was not complete: run a line that does less and needs no network, such as git merge after git fetch.";

/**
 * The reason why `git` may not write a file of its working tree that other commands may not write. `refused`: their
 * reason. `byRule`: the reason of a rule, which no approval lifts.
 */
export function worktreeRefusal(
  path: string,
  refused: string,
  byRule: () => string | undefined,
  { isSeen = false, shownFiles = [], onProtected, cloned, asIfApproved }: Seen & WorktreeWrite,
): string | undefined {
  const name = protectedName(path);
  if (name === undefined || isBeyondWorktrees(path)) return refused;
  const rule = byRule();
  if (rule !== undefined) return rule;
  if (asIfApproved || shownFiles.some((file) => isWithin(path, file))) return undefined;
  // A new directory has nothing that acts, and what a clone brought into it waits for trust.
  const isNew = cloned !== undefined && isWithin(cloned, path) && !protectedName(cloned);
  if (isNew && isSeen) return undefined;
  onProtected?.(path);
  return `${path} is protected: it is ${name}. ${isSeen ? NOT_SHOWN : ASKED_NEXT}`;
}
