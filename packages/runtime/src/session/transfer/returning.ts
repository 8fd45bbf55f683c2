import { ValidationError } from "../../errors.ts";
import type { Storage } from "../../ports/storage.ts";
import { decodeRecord } from "../log/codec.ts";
import type { SessionEvent } from "../log/events.ts";
import { placeIn } from "../log/notes.ts";
import { openIncoming, takeLines } from "./incoming.ts";
import type { ImportLimits } from "./lines.ts";
import { isObject } from "./safe-events.ts";
import { sessionKey } from "../store/storage-keys.ts";

/** The seal of a stored session that was handed over: its last event. */
export interface Seal {
  seq: number;
  /** The id of the session that went on. */
  to: string;
}

/** The seal of a stored session; `undefined` for one that was not handed over. */
export async function sealOf(storage: Storage, sessionId: string): Promise<Seal | undefined> {
  let last: Uint8Array | undefined;
  for await (const { value } of storage.read(sessionKey(sessionId))) last = value;
  return last && sealIn(lastEvent(last, sessionId));
}

/**
 * Buffers an export that replaces a session which was handed over, and verifies that it is that session: it has the seal
 * itself, everything up to its own end, and hands itself over to this id.
 * @throws {ValidationError}
 */
export async function readReturning(
  stream: ReadableStream<Uint8Array>,
  { sessionId, seal, limits }: { sessionId: string; seal: Seal; limits?: Partial<ImportLimits> },
): Promise<ReadableStream<Uint8Array>> {
  const log = await new Response(stream).blob();
  const { lines, first } = await openIncoming(log.stream(), limits);
  let hasSeal = false;
  let last: Seal | undefined;
  await takeLines(first, lines, ({ event }) => {
    if (!isObject(event)) return;
    // Checked as a whole when it is imported.
    last = sealIn(event as unknown as SessionEvent);
    hasSeal ||= last?.seq === seal.seq && last.to === seal.to;
  });
  if (hasSeal && last?.to === sessionId && last.seq > seal.seq) return log.stream();
  throw new ValidationError(`The session ${sessionId} is here, and this is not its continuation`, {
    hint: `Hand the session ${seal.to} over to ${sessionId}, then export it, or import it under another id.`,
  });
}

function sealIn(event: SessionEvent | undefined): Seal | undefined {
  const to = placeIn(event)?.sessionId;
  return event && to !== undefined ? { seq: event.seq, to } : undefined;
}

function lastEvent(bytes: Uint8Array, sessionId: string): SessionEvent | undefined {
  try {
    return decodeRecord(bytes, sessionId).at(-1);
  } catch {
    // A damaged end is no seal.
    return undefined;
  }
}
