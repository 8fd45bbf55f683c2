import { eventsOf } from "../log/codec.ts";
import type { SessionEvent } from "../log/events.ts";
import { createEventCheck } from "./check.ts";
import { openIncoming, takeLines } from "./import.ts";
import { invalid } from "./lines.ts";

/** A session's events as they were exported, without the contents of files. */
export interface ExportedEvents {
  /** Under which it was exported. */
  sessionId: string;
  events: SessionEvent[];
}

/**
 * Reads what `exportSession` wrote, checked and bounded as for an import, and stores nothing of it.
 * @throws {ValidationError} @throws {SessionError} `LOG_VERSION`, `LOG_CORRUPT` when it was cut or changed
 */
export async function exportedEvents(stream: ReadableStream<Uint8Array>): Promise<ExportedEvents> {
  const { id: sessionId, first, lines } = await openIncoming(stream);
  const events: SessionEvent[] = [];
  const check = await createEventCheck();
  try {
    await takeLines(first, lines, ({ event }) => {
      const record = event === undefined ? undefined : check.record(event);
      if (!record) return;
      const next = eventsOf(record, sessionId);
      const last = events.at(-1)?.seq ?? 0;
      if ((next[0]?.seq ?? 0) <= last) throw invalid(`the event ${record.seq} is out of order`);
      events.push(...next);
    });
  } finally {
    await lines.return();
  }
  return { sessionId, events };
}
