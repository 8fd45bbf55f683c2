/** Matches `*` as any characters. Greedy with one backtracking point, so linear in practice and quadratic at worst. */
export function wildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === "*") {
      star = p++;
      mark = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** `*` within a segment, `**` over segments. Linear in pattern times path. */
export function globMatches(pattern: string, path: string): boolean {
  const segments = path.split("/");
  // reachable[j] is 1 when the pattern so far covers the first j segments.
  let reachable = new Uint8Array(segments.length + 1);
  reachable[0] = 1;
  for (const segment of pattern.split("/")) {
    const next = new Uint8Array(segments.length + 1);
    for (let index = 0; index <= segments.length; index++) {
      const before = index > 0;
      const isCovered =
        segment === "**"
          ? reachable[index] === 1 || (before && next[index - 1] === 1)
          : before && reachable[index - 1] === 1 && wildcard(segment, segments[index - 1] ?? "");
      next[index] = isCovered ? 1 : 0;
    }
    reachable = next;
  }
  return reachable[segments.length] === 1;
}
