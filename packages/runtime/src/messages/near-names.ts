const MAX_NAMES = 3;
/** Fewer letters than these are part of many names. */
const SHORTEST_PART = 3;
const MAX_TYPOS = 2;
/** Short names are near to many. */
const LETTERS_PER_TYPO = 4;

/** Known names similar to an unknown one, nearest first. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  const asked = name.toLowerCase();
  const isNear = (candidate: string, distance: number): boolean => {
    const shorter = Math.min(asked.length, candidate.length);
    if (distance <= Math.floor(shorter / 2)) return true;
    return shorter >= SHORTEST_PART && (candidate.includes(asked) || asked.includes(candidate));
  };
  return [...known]
    .filter((candidate) => {
      // Letters are compared only where lengths and the letters in common leave a name near enough.
      const shown = candidate.toLowerCase();
      return isNear(shown, leastDistance(asked, shown));
    })
    .map((candidate) => ({ candidate, distance: editDistance(asked, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => isNear(candidate.toLowerCase(), distance))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ candidate }) => candidate);
}

/** The hint for a name that is not known: the near ones, or all there are when none is near. */
export function nameHint(name: string, known: Iterable<string>): string {
  const all = [...known];
  const near = nearNames(name, all);
  if (near.length > 0) return `Did you mean ${near.join(" or ")}?`;
  return all.length > 0 ? `There are ${all.join(", ")}.` : "There is none yet.";
}

/** The known name that an unknown one is with a letter or two wrong, whatever their cases. */
export function misspeltName(name: string, known: Iterable<string>): string | undefined {
  const asked = name.toLowerCase();
  const most = Math.min(MAX_TYPOS, Math.floor(asked.length / LETTERS_PER_TYPO));
  let [meant, least]: [string | undefined, number] = [undefined, most + 1];
  for (const candidate of known) {
    const shown = candidate.toLowerCase();
    if (leastDistance(asked, shown) >= least) continue;
    const distance = editDistance(asked, shown);
    if (distance < least) [meant, least] = [candidate, distance];
  }
  return meant;
}

/** A lower bound of the edit distance: each letter of the longer text that the other one lacks costs a change. */
function leastDistance(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  let missing = 0;
  // An iterator would make two objects of each letter.
  for (let at = 0; at < longer.length; at += 1)
    if (!shorter.includes(longer.charAt(at))) missing += 1;
  return Math.max(missing, longer.length - shorter.length);
}

/** Edit distance: insertions, deletions and replacements that turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let line = 1; line <= a.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a.charAt(line - 1) === b.charAt(column - 1) ? 0 : 1;
      const replaced = (row[column - 1] ?? 0) + same;
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
