import { EgressError } from "./egress-error.ts";

export interface BodyReader {
  /** The whole body, once. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole body as text, by the charset of its header or else UTF-8. */
  text(): Promise<string>;
  /** Gives the connection back without reading on. */
  cancel(): void;
}

/**
 * Reads a body up to a limit of bytes, which are counted as they come out of decompression: a small answer may be a large one.
 * `failed` makes the error of a read that broke.
 */
export function bodyReader(
  response: Response,
  limit: number,
  failed: (cause: unknown) => Error,
): BodyReader {
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> => {
    if (!response.body) return new Uint8Array();
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return join(chunks, size);
        size += value.length;
        if (size > limit) {
          void reader.cancel().catch(() => undefined);
          throw tooLarge(limit);
        }
        chunks.push(value);
      }
    } catch (cause) {
      throw failed(cause);
    }
  };
  return {
    bytes,
    text: async () => decodeBytes(await bytes(), charsetOf(response.headers)),
    cancel: () => discard(response),
  };
}

/** Releases an unread response. */
export function discard(response: Response): void {
  void response.body?.cancel().catch(() => undefined);
}

/** The `charset` of a content type, as written. */
export function charsetOf(headers: Headers): string | undefined {
  return /;\s*charset="?([^;"\s]+)/i.exec(headers.get("content-type") ?? "")?.[1];
}

/** Decodes bytes as text; an unknown charset is treated as UTF-8, which nearly everything is. */
export function decodeBytes(bytes: Uint8Array, charset = "utf-8"): string {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder();
  }
  return decoder.decode(bytes);
}

export function tooLarge(limit: number): EgressError {
  return new EgressError("EGRESS_TOO_LARGE", `The answer is over ${limit} bytes.`);
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
