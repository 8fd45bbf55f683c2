/** The usual limit of file systems. */
const MAX_FOLLOWED = 40;

/**
 * Reports whether a symlink at `path` leads out of its tree, directly or through other links. Walks directories and
 * links as a file system does, because `a/../..` goes elsewhere when `a` is a link. Paths are relative to the top of
 * the tree and normalised.
 */
export function leadsOut(path: string, targets: ReadonlyMap<string, string>): boolean {
  let followed = 0;
  const start = path.split("/").slice(0, -1);
  /** The end of `target` from the directory `at`; `undefined` outside of the tree. */
  const follow = (at: readonly string[], target: string): string[] | undefined => {
    if (target.startsWith("/")) return undefined;
    let place = [...at];
    for (const name of target.split("/")) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (place.length === 0) return undefined;
        place.pop();
        continue;
      }
      const next = targets.get([...place, name].join("/"));
      if (next === undefined) place.push(name);
      else {
        // A circle leads nowhere.
        if (++followed > MAX_FOLLOWED) return place;
        const end = follow(place, next);
        if (!end) return undefined;
        place = end;
      }
    }
    return place;
  };
  return follow(start, targets.get(path) ?? "") === undefined;
}
