import { chunks } from "./database.ts";

/** The rows of a value, numbered; one empty row for an empty value, because a value of no bytes is a value. */
export function* rowsOf(value: Uint8Array): Generator<[position: number, data: Uint8Array]> {
  let position = 0;
  for (const data of value.length === 0 ? [value] : chunks(value)) {
    yield [position, data];
    position += 1;
  }
}

export function joined(parts: readonly ArrayBuffer[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return new Uint8Array(only);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), offset);
    offset += part.byteLength;
  }
  return bytes;
}
