import type { Redactor } from "../../messages/redactor.ts";
import type { StreamRedactor } from "../../messages/stream-redactor.ts";
import type { SessionLogData } from "./entry.ts";

/** A text in an entry that continues in later entries: a secret may span several. */
export interface TextPiece {
  /** Name of the text that the piece belongs to. */
  stream: string;
  text: string;
  /** Its path in the entry's data. */
  path: readonly (string | number)[];
}

interface Entry {
  event: string;
  data: SessionLogData;
  /** Number of pieces not redacted yet. */
  open: number;
}

/**
 * Removes secrets from entries and passes them on in order. An entry with a piece of text waits until no later piece
 * can complete a secret with it, and the entries after it wait too.
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

  /** Adds an entry. `data` must not contain the pieces' texts: they are inserted once redacted. */
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

  /** Ends all texts. */
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
    // A value under a secret's name was removed as a whole.
    if (typeof next !== "object" || next === null) return;
    at = next;
  }
  const last = path.at(-1);
  if (last !== undefined && Reflect.get(at, last) === "") Reflect.set(at, last, text);
}
