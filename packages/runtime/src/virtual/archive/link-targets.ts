/** As a file system follows at most. */
const MAX_FOLLOWED = 40;

/**
 * Whether a symlink at `path` leads out of the tree that it lies in, directly or through other links of it. Steps through
 * directories and links as a file system does, because `a/../..` goes elsewhere when `a` is a link. Paths are relative to
 * the top of the tree and normalised.
 */
export function leadsOut(path: string, targets: ReadonlyMap<string, string>): boolean {
  let followed = 0;
  const start = path.split("/").slice(0, -1);
  /** Where `target` ends, seen from the directory `at`; undefined when that is outside. */
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
