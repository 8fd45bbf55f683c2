const HEAD_BYTES = 12;
const TAIL_OF_STAT = 40;
const MODE_AT = 24;
const IS_EXTENDED = 0x4000;
const NAME_MASK = 0xfff;
const GITLINK = 0o160000;
const KNOWN_EXTENSIONS = new Set(["TREE", "REUC", "UNTR", "FSMN", "EOIE", "IEOT"]);
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The directories that a Git index names as repositories of their own, submodules and others; `undefined` when it is
 * damaged, or keeps part of its entries elsewhere (a split or a sparse one). `hashBytes`: 20 for SHA-1, 32 for SHA-256.
 */
export function linksOfIndex(bytes: Uint8Array, hashBytes: 20 | 32): string[] | undefined {
  try {
    return readLinks(bytes, hashBytes);
  } catch (error) {
    // Truncated data, or a name that is not text.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function readLinks(bytes: Uint8Array, hashBytes: number): string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== 0x44495243 || version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let at = HEAD_BYTES;
  // In version 4, a name shares a prefix with the previous one.
  let name = new Uint8Array();
  for (let left = view.getUint32(8); left > 0; left--) {
    const mode = view.getUint32(at + MODE_AT);
    const flagsAt = at + TAIL_OF_STAT + hashBytes;
    const flags = view.getUint16(flagsAt);
    const nameAt = flagsAt + ((flags & IS_EXTENDED) === 0 ? 2 : 4);
    if (version === 4) {
      const cut = readOffset(bytes, nameAt);
      const end = endOf(bytes, cut.next);
      if (cut.value > name.length) return undefined;
      name = joined(name.subarray(0, name.length - cut.value), bytes.subarray(cut.next, end));
      at = end + 1;
    } else {
      const end = endOf(bytes, nameAt);
      const length = flags & NAME_MASK;
      if (length !== NAME_MASK && length !== end - nameAt) return undefined;
      name = bytes.slice(nameAt, end);
      at += (end - at + 8) & ~7;
    }
    if (mode === GITLINK) links.push(decoder.decode(name));
  }
  return hasKnownExtensions(view, at, bytes.length - hashBytes) ? links : undefined;
}

/** Extensions may add entries, remove some, or stand for whole directories. */
function hasKnownExtensions(view: DataView, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    const letters = [0, 1, 2, 3].map((offset) => view.getUint8(at + offset));
    if (!KNOWN_EXTENSIONS.has(String.fromCharCode(...letters))) return false;
    at += 8 + view.getUint32(at + 4);
  }
  return at === end;
}

/**
 * A number in the encoding of Git's pack offsets: seven bits at a time, the highest first, each further byte adding
 * one.
 */
function readOffset(bytes: Uint8Array, start: number): { value: number; next: number } {
  let at = start;
  let byte = byteAt(bytes, at++);
  let value = byte & 127;
  while (byte & 128) {
    byte = byteAt(bytes, at++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at };
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("The index ends too early.");
  return byte;
}

function endOf(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0, start);
  if (end < 0) throw new RangeError("A name has no end.");
  return end;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
