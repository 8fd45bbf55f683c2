/** Declared here, for programs that are compiled without the DOM. */
export type CompressionName = "deflate" | "deflate-raw" | "gzip";

/** Uses the host's own streams, so no codec is shipped. */
export async function compress(bytes: Uint8Array, format: CompressionName): Promise<Uint8Array> {
  const packed = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(packed).arrayBuffer());
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
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      maxBytes -= chunk.length;
      if (maxBytes < 0) throw new RangeError("more than declared");
      controller.enqueue(chunk);
    },
  });
  const unpacked = new Blob([bytes.slice()])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .pipeThrough(counted);
  try {
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  } catch (error) {
    throw new Error(`not in ${format} format`, { cause: error });
  }
}

/** Recognises gzip by its first two bytes. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
