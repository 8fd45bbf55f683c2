import { messageForJson } from "../../messages/message-json.ts";
import type { Message } from "../../messages/message.ts";
import { crc32 } from "../../crc32.ts";
import { CRC_FIELD, CRC_LENGTH, hexDigit, NO_DIGITS, ROLES } from "./codec.ts";
import type { SessionEvent } from "./events.ts";

type StreamDelta = Extract<SessionEvent, { type: "text_delta" | "thinking_delta" }>;

const encoder = new TextEncoder();

export interface EncodedRecord {
  bytes: Uint8Array;
  checksum: number;
  /** The number of the last event in it. */
  lastSeq: number;
}

/**
 * Records for events, in order; runs of deltas become one record. `lastSeq`: the number of the event before them; `epoch`:
 * which writer's they are, when it is to be named.
 */
export function encodeEvents(
  events: readonly SessionEvent[],
  lastSeq = (events[0]?.seq ?? 1) - 1,
  epoch = 0,
): EncodedRecord[] {
  // Fields without a value are left out of the JSON.
  const end = { sessionId: undefined, epoch: epoch > 0 ? epoch : undefined, crc: NO_DIGITS };
  const records: EncodedRecord[] = [];
  let before = lastSeq;
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as SessionEvent;
    const isInRow = event.seq === before + 1;
    if (!isDelta(event)) {
      const fields = isInRow ? { ...event, ...end } : { ...event, prev: before, ...end };
      records.push(recordOf(fields));
      before = event.seq;
      continue;
    }
    const run = [event];
    let last = event;
    for (let next = events[index + 1]; next && continues(last, next); next = events[index + 1]) {
      run.push(next);
      last = next;
      index += 1;
    }
    const { time } = last;
    const fields = {
      ...last,
      delta: undefined,
      prev: isInRow ? undefined : before,
      deltas: run.map(({ delta }) => delta),
      ago: run.some((other) => other.time !== time)
        ? run.map((other) => time - other.time)
        : undefined,
      ...end,
    };
    records.push(recordOf(fields));
    before = last.seq;
  }
  return records;
}

/** Consumes the fields, of which the checksum is the last one. */
function recordOf(fields: { seq: number; type: string; message?: unknown }): EncodedRecord {
  if (ROLES.has(fields.type)) fields.message = messageForJson(fields.message as Message);
  const bytes = encoder.encode(JSON.stringify(fields));
  const length = bytes.length - CRC_LENGTH;
  const checksum = crc32(bytes, length);
  for (let digit = 0; digit < 8; digit++)
    bytes[length + CRC_FIELD.length + digit] = hexDigit(checksum, digit);
  return { bytes, checksum, lastSeq: fields.seq };
}

function isDelta(event: SessionEvent): event is StreamDelta {
  return event.type === "text_delta" || event.type === "thinking_delta";
}

function continues(last: StreamDelta, next: SessionEvent): next is StreamDelta {
  return (
    isDelta(next) &&
    next.type === last.type &&
    next.messageId === last.messageId &&
    next.turnId === last.turnId &&
    next.parentId === last.parentId &&
    next.seq === last.seq + 1
  );
}
