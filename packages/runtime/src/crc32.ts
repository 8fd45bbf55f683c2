/** Bytes per step (slicing-by-8). */
const STRIDE = 8;
const TABLE_SIZE = 256;

/** Lookup tables by position in the stride: the effect of a byte on the checksum that many bytes later. */
const tables = makeTables();

/**
 * CRC-32 as in zip and gzip (polynomial 0x04C11DB7, reflected), so that other programs can check a log. Covers the
 * first `length` bytes, which saves a view.
 */
export function crc32(bytes: Uint8Array, length = bytes.length): number {
  let crc = -1;
  let at = 0;
  for (const end = length - STRIDE; at <= end; at += STRIDE) {
    crc ^=
      byte(bytes, at) |
      (byte(bytes, at + 1) << 8) |
      (byte(bytes, at + 2) << 16) |
      (byte(bytes, at + 3) << 24);
    crc =
      entry(7, crc & 0xff) ^
      entry(6, (crc >>> 8) & 0xff) ^
      entry(5, (crc >>> 16) & 0xff) ^
      entry(4, crc >>> 24) ^
      entry(3, byte(bytes, at + 4)) ^
      entry(2, byte(bytes, at + 5)) ^
      entry(1, byte(bytes, at + 6)) ^
      entry(0, byte(bytes, at + 7));
  }
  for (; at < length; at++) crc = (crc >>> 8) ^ entry(0, (crc ^ byte(bytes, at)) & 0xff);
  return ~crc >>> 0;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

function entry(place: number, value: number): number {
  return tables[place * TABLE_SIZE + value] as number;
}

function makeTables(): Int32Array {
  const made = new Int32Array(STRIDE * TABLE_SIZE);
  for (let index = 0; index < TABLE_SIZE; index++) {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    made[index] = value;
  }
  for (let index = TABLE_SIZE; index < made.length; index++) {
    const before = made[index - TABLE_SIZE] as number;
    made[index] = (before >>> 8) ^ (made[before & 0xff] as number);
  }
  return made;
}
