/** The target of a link in a model's text. */
export type LinkTarget =
  | { kind: "external"; url: string }
  /** A file of the workspace. */
  | { kind: "path"; path: string }
  /** Shown as plain text: scripts, data, local programs. */
  | { kind: "none" };

const allowed = new Set(["http:", "https:", "mailto:"]);
const base = "https://workspace.invalid/";

/** Decides by the URL parser, which the browser follows, not by the look of the text. */
export function linkTarget(href: string): LinkTarget {
  let url: URL;
  try {
    url = new URL(href, base);
  } catch {
    return { kind: "none" };
  }
  if (!allowed.has(url.protocol)) return { kind: "none" };
  if (url.origin !== "https://workspace.invalid") return { kind: "external", url: url.href };
  const path = decodePath(url.pathname);
  return path && path !== "/" ? { kind: "path", path } : { kind: "none" };
}

function decodePath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/** Images inside the text. Any other would be a request that tells its server about the reader. */
export function isInlineImage(href: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(href);
}
