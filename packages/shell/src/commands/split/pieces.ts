/** The parts of `size` bytes. */
export function* piecesByBytes(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The parts of `count` lines. `end`: the byte at the end of a line. */
export function* piecesByLines(
  bytes: Uint8Array,
  count: number,
  end: number,
): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    let at = start;
    for (let line = 0; line < count && at < bytes.length; line++) at = lineEnd(bytes, at, end);
    yield bytes.subarray(start, at);
    start = at;
  }
}

/** The parts of whole lines with at most `size` bytes; a longer line is broken. */
export function* piecesByLineBytes(
  bytes: Uint8Array,
  size: number,
  end: number,
): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const limit = Math.min(start + size, bytes.length);
    const last = limit === bytes.length ? limit - 1 : bytes.lastIndexOf(end, limit - 1);
    const at = last < start ? limit : last + 1;
    yield bytes.subarray(start, at);
    start = at;
  }
}

/** The offset behind the line at `at`. */
export function lineEnd(bytes: Uint8Array, at: number, end: number): number {
  const found = bytes.indexOf(end, at);
  return found === -1 ? bytes.length : found + 1;
}
