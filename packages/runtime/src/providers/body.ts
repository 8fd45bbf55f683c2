import type { Watch } from "./watch.ts";

/** Time before a finished answer's open connection is dropped. */
const DRAIN_MS = 1_000;

/**
 * Reads an answer's body until its end, until it is `finished`, or until it is stopped; `watch.cause` tells when the
 * connection broke. Resolves to the text when the body is not an event stream.
 */
export async function readBody(
  response: Response,
  watch: Watch,
  finished: () => boolean,
  onBytes: (bytes: Uint8Array) => void,
): Promise<string | undefined> {
  if (!response.body) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  // Ends a pending read, whether or not the stream observes the request's signal.
  const cancel = (): void => void reader.cancel().catch(() => {});
  watch.onStop = cancel;
  const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
  const text = new TextDecoder();
  let isEvents: boolean | undefined;
  let other: string | undefined;
  try {
    for (let first = true; ; first = false) {
      const bytes = await next(reader, watch);
      if (watch.stopped) return other;
      if (!bytes) return first && !isStream ? "" : other;
      watch.touch();
      isEvents ??= startsLikeEvents(bytes);
      if (isEvents === false) {
        other = (other ?? "") + text.decode(bytes, { stream: true });
        continue;
      }
      onBytes(bytes);
      if (finished()) {
        void drain(reader);
        return undefined;
      }
    }
  } catch (error) {
    cancel();
    throw error;
  }
}

async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watch: Watch,
): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch (error) {
    watch.cause = error;
    return undefined;
  }
}

/** Blanks, line ends and the bytes of a byte order mark. */
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Content types tell little: some servers send events under another one, and errors under that of events. No line of an
 * event stream begins like JSON or a web page. `undefined` while there are only blanks, which some servers send until they
 * have an answer in one piece.
 */
function startsLikeEvents(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => !BLANK.has(byte));
  return first === undefined ? undefined : first !== 0x7b && first !== 0x5b && first !== 0x3c;
}

/** Reads to the end, so that the connection can be used again, but never for long. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is complete; the end of its connection is irrelevant.
  } finally {
    clearTimeout(timer);
  }
}
