/** Navigation in a compiled WebAssembly module. */
/** Decodes an unsigned LEB128 number; returns its value and end. */
export function numberAt(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

export function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)];
}

/** Ranges of length-prefixed parts of a section or function. */
export function* partsOf(bytes: Uint8Array, first: number, count: number, skipped: number) {
  let at = first;
  for (let part = 0; part < count && at < bytes.length; part++) {
    const [size, start] = numberAt(bytes, at + skipped);
    yield { at, start, end: start + size };
    at = start + size;
  }
}

/** Indices of imported functions by name, of one or two letters. */
export function importedFunctions(bytes: Uint8Array, start: number): Map<string, number> {
  const found = new Map<string, number>();
  const [count, first] = numberAt(bytes, start);
  let at = first;
  const text = (): string => {
    const [length, from] = numberAt(bytes, at);
    at = from + length;
    return Buffer.from(bytes.subarray(from, at)).toString();
  };
  for (let index = 0; index < count; index++) {
    text();
    const field = text();
    const kind = bytes[at++];
    if (kind === 0) {
      found.set(field, found.size);
      at = numberAt(bytes, at)[1];
    } else if (kind === 2) {
      const hasMost = ((bytes[at++] ?? 0) & 1) === 1;
      at = numberAt(bytes, at)[1];
      if (hasMost) at = numberAt(bytes, at)[1];
    } else throw new Error("an import that is neither a function nor a memory");
  }
  return found;
}

/** Prefixes a section, or a function body, with its length. */
export function withLength(parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.from(numberBytes(content.length)), content]);
}
