import { concatBytes } from "../../bytes.ts";

/** Declared here, for programs that are compiled without the DOM. */
export type CompressionName = "deflate" | "deflate-raw" | "gzip";

/** What goes into a codec at a time: some hosts unpack all of it before its first bytes are read. */
const PIECE = 65_536;

/** Uses the host's own streams, so no codec is shipped. */
export function compress(bytes: Uint8Array, format: CompressionName): Promise<Uint8Array> {
  return through(new CompressionStream(format), bytes, Infinity);
}

/**
 * Decompresses at most `maxBytes`, counted as they come out: a zip bomb expands far.
 * @throws {Error} `not in gzip format` and the like.
 */
export async function decompress(
  bytes: Uint8Array,
  format: CompressionName,
  maxBytes = Infinity,
): Promise<Uint8Array> {
  try {
    return await through(new DecompressionStream(format), bytes, maxBytes);
  } catch (error) {
    throw new Error(`not in ${format} format`, { cause: error });
  }
}

/** All that comes out of a codec for these bytes. */
async function through(
  { readable, writable }: CompressionStream,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = readable.getReader();
  // What fails in writing fails in reading as well.
  void write(writable, bytes).catch(() => undefined);
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(chunks);
    size += value.length;
    if (size > maxBytes) {
      const error = new RangeError("more than declared");
      void reader.cancel(error).catch(() => undefined);
      throw error;
    }
    chunks.push(value);
  }
}

async function write(writable: WritableStream<BufferSource>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  for (let at = 0; at < bytes.length; at += PIECE) await writer.write(bytes.slice(at, at + PIECE));
  await writer.close();
}

/** Recognises gzip by its first two bytes. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
