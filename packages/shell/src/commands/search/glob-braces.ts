/** Alternatives that one pattern may stand for. */
const MAX_ALTERNATIVES = 1_000;

/** The patterns that braces stand for: `*.{ts,tsx}` for `*.ts` and `*.tsx`. */
export function expandBraces(pattern: string): string[] {
  const range = firstBraces(pattern);
  if (!range) return [pattern];
  const [start, end] = range;
  const [before, after] = [pattern.slice(0, start), pattern.slice(end + 1)];
  const expanded = alternativesOf(pattern.slice(start + 1, end)).flatMap((inner) =>
    expandBraces(before + inner + after),
  );
  return expanded.slice(0, MAX_ALTERNATIVES);
}

/** The first pair of braces. */
function firstBraces(pattern: string): readonly [start: number, end: number] | undefined {
  let [depth, start] = [0, -1];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "{" && depth++ === 0) start = at;
    else if (character === "}" && depth > 0 && --depth === 0) return [start, at];
  }
  return undefined;
}

/** The parts between commas that are in no inner braces. */
function alternativesOf(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
