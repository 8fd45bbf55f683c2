import { secretSpans, type Span } from "./redact.ts";
import { REDACTED } from "./secret-names.ts";

/** What stands before a secret and tells what it is (`Bearer `, `"password": "`) is looked at this far back. Characters. */
const CONTEXT = 1024;
/** Text without a space is kept back this far, unless a registered secret is longer: a secret may have begun in it. */
const MAX_HELD = 4096;
/** A secret that goes on for longer than this is taken out as far as it has come, and its characters from there on. */
const MAX_SECRET = 65_536;
/** What may go on a secret of that length. */
const CONTINUES = /^[\w+/=.~\s\\-]*/;

interface Piece {
  text: string;
  /** Where it begins, counted from the beginning of what is undecided. */
  start: number;
  take: (safe: string) => void;
}

/**
 * Takes secrets out of a text that comes in pieces. A piece is handed on when nothing that follows can make a part of it a
 * secret, which is mostly at the next space: what is kept back is bounded, and so is the time for each character.
 */
export class StreamRedactor {
  readonly #forms: () => readonly string[];
  /** Decided already: what a secret may have in front of it. */
  #context = "";
  #undecided = "";
  #pieces: Piece[] = [];
  /** Nothing is looked at before this much is there. */
  #nextLook = 1;
  #isInsideLong = false;

  /** `forms`: what registered secrets look like, as of each look. */
  constructor(forms: () => readonly string[]) {
    this.#forms = forms;
  }

  /** Calls `take` with the piece without secrets, now or at a later piece, in the order of the pieces. */
  add(text: string, take: (safe: string) => void): void {
    this.#pieces.push({ text, start: this.#undecided.length, take });
    this.#undecided += text;
    if (this.#undecided.length >= this.#nextLook) this.#decide(false);
  }

  /** Decides about everything: the text ends here. */
  end(): void {
    this.#decide(true);
  }

  #decide(isEnd: boolean): void {
    const text = this.#context + this.#undecided;
    const before = this.#context.length;
    const spans = this.#spansOf(text, before);
    const held = isEnd ? text.length : this.#heldFrom(text, spans, before);
    const ready = held - before;
    const parts = spans
      .filter(({ start, end }) => end > before && start < held)
      .map(({ start, end }) => ({ start: Math.max(0, start - before), end: end - before }));
    this.#context = text.slice(0, held).slice(-CONTEXT);
    this.#undecided = text.slice(held);
    this.#nextLook = this.#undecided.length + Math.max(1, this.#undecided.length >> 1);
    this.#handOn(ready, parts);
  }

  #spansOf(text: string, before: number): Span[] {
    const spans = secretSpans(text, this.#forms());
    if (!this.#isInsideLong) return spans;
    const [rest = ""] = CONTINUES.exec(text.slice(before)) ?? [];
    if (before + rest.length < text.length) this.#isInsideLong = false;
    return [
      { start: before, end: before + rest.length },
      ...spans.filter(({ start }) => start >= before + rest.length),
    ];
  }

  /** From where on something may still become a secret, or a longer one. */
  #heldFrom(text: string, spans: readonly Span[], before: number): number {
    const forms = this.#forms();
    const longest = forms.reduce((most, form) => Math.max(most, form.length), MAX_HELD);
    let held = Math.max(lastSpace(text) + 1, text.length - longest, before);
    for (const form of forms) held = Math.min(held, text.length - beginningOf(form, text));
    held = Math.max(held, before);
    for (const { start, end } of spans.toReversed()) {
      // Behind it stands something that ended it, and nothing of it is held.
      if (end <= held && end < text.length) break;
      if (text.length - Math.max(start, before) > MAX_SECRET) {
        this.#isInsideLong = true;
        return text.length;
      }
      held = Math.min(held, Math.max(start, before));
    }
    return held;
  }

  /** Hands on the pieces that lie before `ready`, and keeps the others. */
  #handOn(ready: number, spans: readonly Span[]): void {
    const kept: Piece[] = [];
    for (const piece of this.#pieces) {
      const { text, start, take } = piece;
      const end = start + text.length;
      if (kept.length === 0 && end <= ready) {
        take(cut(text, start, spans));
        continue;
      }
      // What is decided of a piece is settled now: the look that follows knows no more about it.
      const settled = start < ready ? cut(text.slice(0, ready - start), start, spans) : "";
      const rest = start < ready ? text.slice(ready - start) : text;
      kept.push({
        text: rest,
        start: Math.max(0, start - ready),
        take: settled === "" ? take : (safe) => take(settled + safe),
      });
    }
    this.#pieces = kept;
  }
}

/** A piece that begins at `start`, without the spans; the mark stands where a span begins. */
function cut(text: string, start: number, spans: readonly Span[]): string {
  let safe = "";
  let at = 0;
  for (const span of spans) {
    const from = span.start - start;
    const to = span.end - start;
    if (to <= at || from >= text.length) continue;
    safe += text.slice(at, Math.max(at, from));
    if (from >= 0) safe += REDACTED;
    at = Math.min(text.length, to);
  }
  return safe + text.slice(at);
}

function lastSpace(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) if (/\s/.test(text[at] ?? "")) return at;
  return -1;
}

/** How much of the text's end is the beginning of `form`. */
function beginningOf(form: string, text: string): number {
  const [first = ""] = form;
  const from = Math.max(0, text.length - form.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    if (form.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}
