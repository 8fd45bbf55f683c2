import { secretSpans, type Span } from "./redact.ts";
import { REDACTED } from "./secret-names.ts";

/** Lookbehind in characters for prefixes that mark a secret (`Bearer `, `"password": "`). */
const CONTEXT = 1024;
/** Text without a space is kept back this far, unless a registered secret is longer: a secret may have begun in it. */
const MAX_HELD = 4096;
/** A longer secret is removed as far as it has arrived, and its following characters as they come. */
const MAX_SECRET = 65_536;
/** Characters that may continue a secret of that length. */
const CONTINUES = /^[\w+/=.~\s\\-]*/;

interface Piece {
  text: string;
  /** Offset of its start in the undecided text. */
  start: number;
  take: (safe: string) => void;
}

/**
 * Removes secrets from a streamed text. A piece is emitted once no continuation can make part of it a secret, mostly at
 * the next space; the held-back part is bounded, and so is the time per character.
 */
export class StreamRedactor {
  readonly #forms: () => readonly string[];
  /** Decided text that may precede a secret. */
  #context = "";
  #undecided = "";
  #pieces: Piece[] = [];
  /** Minimum length of the next scan. */
  #nextLook = 1;
  #isInsideLong = false;

  /** `forms`: returns the forms of registered secrets at each scan. */
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

  /** Offset from which text may still become a secret, or a longer one. */
  #heldFrom(text: string, spans: readonly Span[], before: number): number {
    const forms = this.#forms();
    const longest = forms.reduce((most, form) => Math.max(most, form.length), MAX_HELD);
    let held = Math.max(lastSpace(text) + 1, text.length - longest, before);
    for (const form of forms) held = Math.min(held, text.length - beginningOf(form, text));
    held = Math.max(held, before);
    for (const { start, end } of spans.toReversed()) {
      // A terminated secret is not held back.
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
      // Settled text is not scanned again.
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

/** The text without the spans, starting at `start`; the marker replaces the beginning of a span. */
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

/** Length of the text's suffix that is a prefix of `form`. */
function beginningOf(form: string, text: string): number {
  const [first = ""] = form;
  const from = Math.max(0, text.length - form.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    if (form.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}
