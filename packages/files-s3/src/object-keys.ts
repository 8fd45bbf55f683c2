/** Key of a commit's object. Listings sort by text, so numbers have leading zeros. */
export function commitKey(commit: number): string {
  return `commits/${padded(commit)}`;
}

/** Key of the tree as it is after a commit. */
export function treeKey(commit: number): string {
  return `trees/${padded(commit)}`;
}

/** The commit of a key. */
export function commitOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("/") + 1));
}

function padded(commit: number): string {
  return `${commit}`.padStart(15, "0");
}
