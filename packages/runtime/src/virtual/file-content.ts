/** The bytes of a file that can grow: the first `size` of `buffer` count, the rest is room for appends. */
export interface FileContent {
  readonly buffer: Uint8Array;
  readonly size: number;
}

/** An unshared copy of the bytes. */
export function ownBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
}

export function contentOf(bytes: Uint8Array): FileContent {
  return { buffer: bytes, size: bytes.length };
}

export function bytesOf(content: FileContent): Uint8Array {
  return content.buffer.slice(0, content.size);
}

/**
 * `content` with `data` appended. Takes over its buffer, whose capacity doubles when exhausted, so that small appends
 * have amortised constant cost; `content` itself still reads as before, but must not be grown a second time.
 */
export function grow(content: FileContent, data: Uint8Array): FileContent {
  const size = content.size + data.length;
  let { buffer } = content;
  if (size > buffer.length) {
    buffer = new Uint8Array(Math.max(size, buffer.length * 2));
    buffer.set(content.buffer.subarray(0, content.size));
  }
  buffer.set(data, content.size);
  return { buffer, size };
}

/** The same bytes without room, so that growing them leaves the original's room alone. */
export function share(content: FileContent): FileContent {
  return contentOf(content.buffer.subarray(0, content.size));
}
