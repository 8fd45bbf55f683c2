import { concatBytes, decodeText, encodeText } from "../shell/bytes.ts";
import { compress, decompress } from "./compression.ts";

export interface ZipEntry {
  /** A directory's ends in `/`. */
  name: string;
  mode: number;
  mtimeMs: number;
  isSymlink: boolean;
  /** Bytes of the content, and of what is stored for it. */
  size: number;
  packedSize: number;
  crc: number;
  /** @throws {Error} When the content is damaged or packed in a way that is not known here. */
  content(): Promise<Uint8Array>;
}

export type NewZipEntry = Pick<ZipEntry, "name" | "mode" | "mtimeMs" | "isSymlink"> & {
  bytes: Uint8Array;
};

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_SIZE = 22;
const STORED = 0;
const DEFLATED = 8;
const UTF8_NAMES = 1 << 11;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function fields(...values: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

/** DOS keeps two seconds in five bits, and no years before 1980. */
function dosTime(mtimeMs: number): [time: number, date: number] {
  const date = new Date(Math.max(mtimeMs, Date.UTC(1980, 0, 1)));
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  ];
}

export async function writeZip(entries: readonly NewZipEntry[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, mode, mtimeMs, isSymlink, bytes } of entries) {
    const packed = await compress(bytes, "deflate-raw");
    const isPacked = packed.length < bytes.length;
    const stored = isPacked ? packed : bytes;
    const encoded = encodeText(name);
    const [time, date] = dosTime(mtimeMs);
    const shared = [
      [2, UTF8_NAMES],
      [2, isPacked ? DEFLATED : STORED],
      [2, time],
      [2, date],
      [4, crc32(bytes)],
      [4, stored.length],
      [4, bytes.length],
      [2, encoded.length],
      [2, 0],
    ] as const;
    const local = [fields([4, LOCAL], [2, 20], ...shared), encoded, stored];
    const kind = name.endsWith("/") ? 0o040000 : isSymlink ? 0o120000 : 0o100000;
    const attributes = (((kind | (mode & 0o7777)) << 16) >>> 0) + (name.endsWith("/") ? 16 : 0);
    // The host that made it is Unix (3), so that the mode is read back.
    const head = fields([4, CENTRAL], [2, (3 << 8) | 30], [2, 20], ...shared);
    const tail = fields([2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]);
    directory.push(head, tail, encoded);
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = entries.length;
  const end = fields(
    [4, END],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, size],
    [4, offset],
    [2, 0],
  );
  return concatBytes([...parts, ...directory, end]);
}

/** @throws {Error} When it is no zip archive. */
export function readZip(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const noZip = (): Error => new Error("End-of-central-directory signature not found");
  let end = bytes.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw noZip();
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) throw noZip();
    const short = (offset: number): number => view.getUint16(at + offset, true);
    const long = (offset: number): number => view.getUint32(at + offset, true);
    const [method, time, date, crc] = [short(10), short(12), short(14), long(16)];
    const [packedSize, size, attributes, local] = [long(20), long(24), long(38), long(42)];
    const name = decodeText(bytes.subarray(at + 46, at + 46 + short(28)));
    const mode = attributes >>> 16;
    at += 46 + short(28) + short(30) + short(32);
    entries.push({
      name,
      mode: mode === 0 ? 0o644 : mode & 0o7777,
      isSymlink: (mode & 0o170000) === 0o120000,
      mtimeMs: Date.UTC(
        (date >> 9) + 1980,
        ((date >> 5) & 15) - 1,
        date & 31,
        time >> 11,
        (time >> 5) & 63,
        (time & 31) * 2,
      ),
      size,
      packedSize,
      crc,
      async content() {
        const start =
          local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
        const stored = bytes.subarray(start, start + packedSize);
        if (method !== STORED && method !== DEFLATED)
          throw new Error(`${name}: unsupported compression method ${method}`);
        const content = method === DEFLATED ? await decompress(stored, "deflate-raw") : stored;
        if (crc32(content) !== crc) throw new Error(`${name}: bad CRC`);
        return content;
      },
    });
  }
  return entries;
}
