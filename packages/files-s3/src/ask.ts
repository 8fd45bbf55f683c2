import { concatBytes } from "@robota/runtime/ports";

export interface StoreAnswer {
  status: number;
  bytes: Uint8Array;
}

/** Milliseconds of silence that no store needs; without a limit a connection that was lost would be waited for without end. */
const SILENCE_MS = 60_000;
/** The slowest upload that is waited for, in bytes a millisecond. */
const SLOWEST = 20;

/**
 * The whole answer to a request of `sent` bytes: a connection that breaks in the middle of it, or falls silent, is a failure
 * as any other.
 */
export async function ask(
  fetch: (request: Request) => Promise<Response>,
  request: Request,
  sent = 0,
): Promise<StoreAnswer> {
  const left = new AbortController();
  try {
    const asked = fetch(new Request(request, { signal: left.signal }));
    const response = await inTime(SILENCE_MS + sent / SLOWEST, asked);
    return { status: response.status, bytes: await bytesOf(response) };
  } catch (error) {
    left.abort();
    throw error;
  }
}

async function bytesOf({ body }: Response): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await inTime(SILENCE_MS, reader.read());
      if (done) return concatBytes(parts);
      parts.push(value);
    }
  } catch (error) {
    // Ends the body also where the host's fetch does not observe the signal.
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}

async function inTime<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Nothing came for ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
