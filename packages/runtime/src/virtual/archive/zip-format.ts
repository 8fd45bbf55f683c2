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
const LOCAL_SIZE = 30;
/** What the fields of the format have room for. A larger archive puts these in their place. */
const MAX_COUNT = 0xfffe;
const MAX_OFFSET = 0xfffffffe;
const MAX_COMMENT = 0xffff;
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

/** @throws {RangeError} When there are more entries or bytes than the format can count. */
export async function writeZip(entries: Iterable<NewZipEntry>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of zipParts(entries)) parts.push(part);
  return concatBytes(parts);
}

/**
 * The bytes of an archive in their order, so that nothing but one content at a time is held.
 * @throws {RangeError} When there are more entries or bytes than the format can count.
 */
export async function* zipParts(
  entries: AsyncIterable<NewZipEntry> | Iterable<NewZipEntry>,
): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let offset = 0;
  let count = 0;
  for await (const { name, mode, mtimeMs, isSymlink, bytes } of entries) {
    const packed = bytes.length === 0 ? bytes : await compress(bytes, "deflate-raw");
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
    const kind = name.endsWith("/") ? 0o040000 : isSymlink ? 0o120000 : 0o100000;
    const attributes = (((kind | (mode & 0o7777)) << 16) >>> 0) + (name.endsWith("/") ? 16 : 0);
    // The host that made it is Unix (3), so that the mode is read back.
    const head = fields([4, CENTRAL], [2, (3 << 8) | 30], [2, 20], ...shared);
    const tail = fields([2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]);
    directory.push(head, tail, encoded);
    for (const part of [fields([4, LOCAL], [2, 20], ...shared), encoded, stored]) {
      offset += part.length;
      yield part;
    }
    count += 1;
    if (count > MAX_COUNT || offset > MAX_OFFSET)
      throw new RangeError("Too much for a zip archive");
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  yield* directory;
  yield fields([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
}

/**
 * The members of an archive, whose contents are read when they are asked for.
 * @throws {Error} When it is no zip archive.
 */
export async function readZip(archive: Blob): Promise<ZipEntry[]> {
  const noZip = (): Error => new Error("End-of-central-directory signature not found");
  const tailStart = Math.max(0, archive.size - END_SIZE - MAX_COMMENT);
  const tail = await viewOf(archive, tailStart, archive.size);
  let end = tail.byteLength - END_SIZE;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw noZip();
  const count = tail.getUint16(end + 10, true);
  const start = tail.getUint32(end + 16, true);
  if (start > MAX_OFFSET) throw new Error("zip64 archives can't be read here");
  const view = await viewOf(archive, start, tailStart + end);
  const entries: ZipEntry[] = [];
  for (let index = 0, at = 0; index < count; index++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw noZip();
    const short = (offset: number): number => view.getUint16(at + offset, true);
    const long = (offset: number): number => view.getUint32(at + offset, true);
    const [flags, method, time, date, crc] = [short(8), short(10), short(12), short(14), long(16)];
    const [packedSize, size, attributes, local] = [long(20), long(24), long(38), long(42)];
    const nameBytes = new Uint8Array(view.buffer).subarray(at + 46, at + 46 + short(28));
    const name = decodeText(nameBytes);
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
        if (flags & 1) throw new Error(`${name}: is encrypted`);
        if (method !== STORED && method !== DEFLATED)
          throw new Error(`${name}: unsupported compression method ${method}`);
        const head = await viewOf(archive, local, local + LOCAL_SIZE);
        if (head.byteLength < LOCAL_SIZE) throw new Error(`${name}: the archive ends before it`);
        const from = local + LOCAL_SIZE + head.getUint16(26, true) + head.getUint16(28, true);
        const stored = await bytesOf(archive, from, from + packedSize);
        const content =
          method === DEFLATED ? await decompress(stored, "deflate-raw", size) : stored;
        if (crc32(content) !== crc) throw new Error(`${name}: bad CRC`);
        return content;
      },
    });
  }
  return entries;
}

async function bytesOf(archive: Blob, from: number, to: number): Promise<Uint8Array> {
  return new Uint8Array(await archive.slice(from, to).arrayBuffer());
}

async function viewOf(archive: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await archive.slice(from, to).arrayBuffer());
}
