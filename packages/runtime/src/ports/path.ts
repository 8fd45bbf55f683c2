/**
 * Resolves `.`, `..` and repeated slashes of an absolute POSIX path; `..` at the root stays at the root. Half a surrogate
 * pair, which no host can store, is U+FFFD.
 */
export function normalizePath(path: string): string {
  // Almost every path, at a third of the cost.
  if (isNormalized(path)) return path;
  const segments: string[] = [];
  for (const segment of path.toWellFormed().split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Reports whether `normalizePath` would leave `path` unchanged. */
export function isNormalized(path: string): boolean {
  if (path === "/") return true;
  return path.startsWith("/") && path.isWellFormed() && !/\/(?:\/|\.\.?(?:\/|$)|$)/.test(path);
}

/** `path` as seen from `base`: absolute paths stay, others are joined to it. */
export function resolvePath(base: string, path: string): string {
  return normalizePath(path.startsWith("/") ? path : `${base}/${path}`);
}

/** The directory that holds a normalised absolute path; the root's is the root. */
export function dirname(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/"))) || "/";
}

/** The last segment of a normalised absolute path; empty for the root. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Reports whether normalised `path` is `directory` itself or below it. Compares segments, so `/app-2` is not in `/app`.
 */
export function isWithin(directory: string, path: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`);
}

/** `path` relative to `base` when it lies below it, else `path` itself. `.` for `base`. */
export function relativePath(base: string, path: string): string {
  if (path === base) return ".";
  const prefix = base === "/" ? "/" : `${base}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
