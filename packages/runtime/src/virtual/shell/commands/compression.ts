/** By the host's own streams, so no codec is shipped. */
export async function compress(bytes: Uint8Array, format: CompressionFormat): Promise<Uint8Array> {
  return through(bytes, new CompressionStream(format));
}

/** @throws {Error} `not in gzip format` and the like. */
export async function decompress(
  bytes: Uint8Array,
  format: CompressionFormat,
): Promise<Uint8Array> {
  try {
    return await through(bytes, new DecompressionStream(format));
  } catch (error) {
    throw new Error(`not in ${format} format`, { cause: error });
  }
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const converted = new Blob([bytes.slice()]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(converted).arrayBuffer());
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
