import { SessionError, ValidationError } from "../../errors.ts";
import { jsonDepth } from "../../messages/json-depth.ts";
import { isObject } from "./safe-events.ts";

/** Limits of an import. */
export interface ImportLimits {
  /** Size of the whole stream, as it arrives; 256 MiB when omitted. */
  bytes: number;
  /** Size of one line; 32 MiB when omitted. */
  lineBytes: number;
  /** Number of lines; 1,000,000 when omitted. */
  lines: number;
  /** Number of paths; 50,000 when omitted. */
  files: number;
  /** Nesting depth of brackets in a line; 64 when omitted. */
  depth: number;
}

export const DEFAULT_IMPORT_LIMITS: ImportLimits = {
  bytes: 256 * 2 ** 20,
  lineBytes: 32 * 2 ** 20,
  lines: 1_000_000,
  files: 50_000,
  depth: 64,
};

export interface TransferLine {
  fields: Record<string, unknown>;
  /** Bytes including the line feed. */
  bytes: Uint8Array;
}

const LINE_FEED = 10;

/** The lines of a stream, each an object. @throws {ValidationError} for anything else, and beyond a limit */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  limits: ImportLimits,
  signal?: AbortSignal,
): AsyncGenerator<TransferLine, void> {
  let total = 0;
  let count = 0;
  for await (const bytes of lineBytes(chunksOf(stream, signal), limits)) {
    total += bytes.length;
    count += 1;
    if (total > limits.bytes) throw tooLarge(`over ${limits.bytes} bytes`);
    if (count > limits.lines) throw tooLarge(`over ${limits.lines} lines`);
    yield { fields: parse(bytes, count, limits.depth), bytes };
  }
}

/** Reads a stream without `for await`, which not every browser supports. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (typeof stream?.getReader !== "function" || stream.locked)
    throw new ValidationError("An import needs a stream of bytes that nothing else reads", {
      hint: "Pass the stream of export(), of a response or of a blob as stream.",
    });
  const reader = stream.getReader();
  // Ends the read that waits.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    signal?.throwIfAborted();
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener("abort", cancel);
    // Cancels the stream when the consumer stops early.
    await reader.cancel().catch(() => undefined);
  }
}

async function* lineBytes(
  chunks: AsyncIterable<Uint8Array>,
  limits: ImportLimits,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const piece = chunk.subarray(from, at + 1);
      const line = joined([...pieces, piece], length + piece.length);
      if (line.length > limits.lineBytes) throw tooLarge(`a line over ${limits.lineBytes} bytes`);
      yield line;
      pieces = [];
      length = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > Math.min(limits.lineBytes, limits.bytes))
      throw tooLarge(`a line over ${limits.lineBytes} bytes`);
  }
  if (length > 0) throw cut();
}

/** Concatenates pieces of the total `length`. */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array, line: number, depth: number): Record<string, unknown> {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (jsonDepth(text) > depth)
      throw invalid(`line ${line} is nested deeper than ${depth} levels`);
    value = JSON.parse(text, refusePrototypes);
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    throw invalid(`line ${line} is not JSON`, cause);
  }
  if (!isObject(value)) throw invalid(`line ${line} is not an object`);
  return value;
}

/** Rejects keys that would change an object's prototype instead of its content. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === "__proto__") throw invalid('there is a field "__proto__"');
  return value;
}

export function invalid(problem: string, cause?: unknown): ValidationError {
  return new ValidationError(`This is not an importable session: ${problem}`, {
    cause,
    hint: "Export the session again where it comes from; docs/session-format.md has the format.",
  });
}

/** The error of a stream that ends before the session does. */
export function cut(): SessionError {
  return new SessionError("LOG_CORRUPT", "The exported session was cut or changed on its way", {
    hint: "Nothing was imported. Get the whole file and try again.",
  });
}

function tooLarge(problem: string): ValidationError {
  return new ValidationError(`The exported session is too large: ${problem}`, {
    hint: "Export it with fewer files, or raise the limits of the import.",
  });
}
