/** A run of bytes in the object of a commit. */
export interface Extent {
  commit: number;
  /** From the start of the object. */
  offset: number;
  length: number;
}

/** Small appends make small extents, and each costs a request to read. */
const MAX_EXTENTS = 64;

/** Where the bytes of a file lie, as the tree keeps it: `commit:offset:length`, with commas between. */
export function packExtents(extents: readonly Extent[]): string {
  return extents.map(({ commit, offset, length }) => `${commit}:${offset}:${length}`).join();
}

export function unpackExtents(packed: string): Extent[] {
  if (packed === "") return [];
  return packed.split(",").map((text) => {
    const [commit = 0, offset = 0, length = 0] = text.split(":").map(Number);
    return { commit, offset, length };
  });
}

export function sizeOf(extents: readonly Extent[]): number {
  return extents.reduce((size, { length }) => size + length, 0);
}

/** `extents` and `next` behind them, as one where they touch. */
export function appendExtent(extents: readonly Extent[], next: Extent): readonly Extent[] {
  const last = extents.at(-1);
  if (next.length === 0) return extents;
  if (last?.commit !== next.commit || last.offset + last.length !== next.offset) {
    return [...extents, next];
  }
  return [...extents.slice(0, -1), { ...last, length: last.length + next.length }];
}

/** The parts of `extents` that hold `length` bytes from `offset` of the file. */
export function sliceExtents(extents: readonly Extent[], offset: number, length: number): Extent[] {
  const parts: Extent[] = [];
  let start = 0;
  for (const extent of extents) {
    const from = Math.max(offset - start, 0);
    const to = Math.min(offset + length - start, extent.length);
    if (from < to) {
      parts.push({ commit: extent.commit, offset: extent.offset + from, length: to - from });
    }
    start += extent.length;
  }
  return parts;
}

/**
 * The extents at the end that should become one; none while there are few. Each of those left is larger than twice all
 * behind it, so that a file of n appends moves its bytes log n times, and not n.
 */
export function extentsToMerge(extents: readonly Extent[]): readonly Extent[] {
  if (extents.length <= MAX_EXTENTS) return [];
  let [start, size] = [extents.length, 0];
  for (
    let extent = extents[start - 1];
    extent && isSmall(extent, size);
    extent = extents[start - 1]
  ) {
    start -= 1;
    size += extent.length;
  }
  return extents.slice(start);
}

function isSmall({ length }: Extent, behind: number): boolean {
  return behind === 0 || length <= 2 * behind;
}
