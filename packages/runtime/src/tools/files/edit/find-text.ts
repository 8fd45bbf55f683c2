/** A match of a text in another: offsets, and its first line, from 1. */
export interface Occurrence {
  start: number;
  end: number;
  line: number;
}

/**
 * The occurrences of `wanted` in `text`, without overlaps. Line endings don't count: a model sees every line ending as
 * `\n`, so `a\nb` is found in `a\r\nb`.
 */
export function findText(text: string, wanted: string): Occurrence[] {
  const plain = text.replaceAll("\r\n", "\n");
  const plainWanted = wanted.replaceAll("\r\n", "\n");
  const original = plain.length === text.length ? (offset: number) => offset : offsetsIn(text);
  const found: Occurrence[] = [];
  let line = 1;
  let counted = 0;
  for (let at = plain.indexOf(plainWanted); at !== -1;) {
    for (let next = plain.indexOf("\n", counted); next !== -1 && next < at;) {
      line += 1;
      counted = next + 1;
      next = plain.indexOf("\n", counted);
    }
    const end = at + plainWanted.length;
    found.push({ start: original(at), end: original(end), line });
    at = plain.indexOf(plainWanted, end);
  }
  return found;
}

/** Maps offsets in a text without carriage returns before line feeds to offsets in `text`. Call in rising order. */
function offsetsIn(text: string): (offset: number) => number {
  let removed = 0;
  let next = text.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && next - removed < offset) {
      removed += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return offset + removed;
  };
}
