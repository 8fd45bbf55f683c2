import type { Redactor } from "../../messages/redactor.ts";
import type { StreamRedactor } from "../../messages/stream-redactor.ts";
import type { SessionLogData } from "./entry.ts";

/** A text in an entry that goes on in later entries: a secret may be split over them. */
export interface TextPiece {
  /** Texts of one name belong together. */
  stream: string;
  text: string;
  /** Where it stands in the entry's data. */
  path: readonly (string | number)[];
}

interface Entry {
  event: string;
  data: SessionLogData;
  /** Pieces that are not decided yet. */
  open: number;
}

/**
 * Takes the secrets out of entries and hands them on in their order. One with a piece of text waits until nothing that
 * follows can make the piece a part of a secret, and the entries behind it wait with it.
 */
export class OrderedEntries {
  readonly #redactor: Redactor;
  readonly #sink: (event: string, data: SessionLogData) => void;
  readonly #streams = new Map<string, StreamRedactor>();
  #waiting: Entry[] = [];

  constructor(redactor: Redactor, sink: (event: string, data: SessionLogData) => void) {
    this.#redactor = redactor;
    this.#sink = sink;
  }

  /** `data` holds the pieces' texts no more than it must: they are put in when they are decided. */
  push(event: string, data: SessionLogData, pieces: readonly TextPiece[] = []): void {
    const safe = this.#redactor.value(data) as SessionLogData;
    const entry: Entry = { event, data: safe, open: pieces.length };
    this.#waiting.push(entry);
    for (const { stream, text, path } of pieces) {
      this.#streamOf(stream).add(text, (part) => {
        putAt(safe, path, part);
        entry.open -= 1;
      });
    }
    this.#handOn();
  }

  /** All texts end here. */
  endTexts(): void {
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.#handOn();
  }

  #streamOf(name: string): StreamRedactor {
    const stream = this.#streams.get(name) ?? this.#redactor.stream();
    this.#streams.set(name, stream);
    return stream;
  }

  #handOn(): void {
    let count = 0;
    while (this.#waiting[count]?.open === 0) count += 1;
    for (const { event, data } of this.#waiting.splice(0, count)) this.#sink(event, data);
  }
}

function putAt(data: object, path: readonly (string | number)[], text: string): void {
  let at: object = data;
  for (const key of path.slice(0, -1)) {
    const next: unknown = Reflect.get(at, key);
    // What stands under a secret's name was taken out as a whole.
    if (typeof next !== "object" || next === null) return;
    at = next;
  }
  const last = path.at(-1);
  if (last !== undefined && Reflect.get(at, last) === "") Reflect.set(at, last, text);
}
