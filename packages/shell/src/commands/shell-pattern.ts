/** A shell pattern of archivers: `*` also matches slashes. */
export function patternToRegExp(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
    .replaceAll("[!", "[^");
  return new RegExp(`^${source}$`, "s");
}
