/** The part of isomorphic-git that `scripts/vendor/git.ts` builds into one file, and two of its dependencies. */
export {
  addRemote,
  clone,
  deleteRef,
  deleteRemote,
  Errors,
  expandOid,
  fetch,
  findMergeBase,
  getConfig,
  getConfigAll,
  hashBlob,
  type HttpClient,
  type PromiseFsClient,
  init,
  isDescendent,
  listBranches,
  listRefs,
  listRemotes,
  listServerRefs,
  listTags,
  push,
  readBlob,
  readCommit,
  readObject,
  readTree,
  resolveRef,
  setConfig,
  type TreeEntry,
  writeBlob,
  writeCommit,
  writeRef,
  writeObject,
  writeTree,
} from "isomorphic-git";

/** Regions where `a` and `b` differ from `base` alike, or in different ways. */
export function diff3Merge(
  a: readonly string[],
  base: readonly string[],
  b: readonly string[],
): ({ ok: string[] } | { conflict: { a: string[]; o: string[]; b: string[] } })[];

/** The rules of `.gitignore` files. */
export function ignore(): {
  add(rules: string): { test(path: string): { ignored: boolean; unignored: boolean } };
};
