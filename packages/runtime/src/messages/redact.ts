import { isSecret, REDACTED } from "./secret-names.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** Shorter texts would be found by chance in texts that hold no secret. */
const SHORTEST_SECRET = 4;
/** Shorter texts under a secret's name are often words, which occur elsewhere by chance. */
const SHORTEST_LEARNT = 8;
const DEEPEST = 32;

/** A part of a text, its end not included. */
export interface Span {
  start: number;
  end: number;
}

/**
 * `text` without the given secrets, in every form that an address or a header gives them, and without anything that
 * looks like a key.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return withoutSecrets(text, formsOf(secrets));
}

/**
 * A copy of `value` that may be stored or shown: plain data without secrets, recognised by field name (`apiKey`,
 * `Authorization`, `refresh_token`) or as in `redact`. Cycles and functions are left out.
 */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  return safeCopy(value, formsOf(secrets), []);
}

/** As `redact`, with precomputed forms of the secrets. */
export function withoutSecrets(text: string, forms: readonly string[]): string {
  return withoutSpans(text, secretSpans(text, forms));
}

/** As `redactValue`, with precomputed forms of the secrets. */
export function valueWithoutSecrets(value: unknown, forms: readonly string[]): unknown {
  return safeCopy(value, forms, []);
}

/** Reports whether `valueWithoutSecrets` would leave JSON unchanged. */
export function isWithoutSecrets(value: unknown, forms: readonly string[], depth = 0): boolean {
  if (typeof value === "string") return secretSpans(value, forms).length === 0;
  if (typeof value !== "object" || value === null) return true;
  if (depth >= DEEPEST) return false;
  if (Array.isArray(value)) return value.every((item) => isWithoutSecrets(item, forms, depth + 1));
  return Object.entries(value).every(
    ([key, item]) => !isSecret(key, item) && isWithoutSecrets(item, forms, depth + 1),
  );
}

/** Positions of secrets in `text`: ordered and disjoint. */
export function secretSpans(text: string, forms: readonly string[]): Span[] {
  const found: Span[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
      found.push({ start: at, end: at + form.length });
  }
  for (const { mark, pattern } of SECRET_SHAPES) {
    if (!text.includes(mark)) continue;
    // `matchAll` copies the pattern, which takes longer than to look through most texts.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const start = match.index + (match[1]?.length ?? 0);
      found.push({ start, end: pattern.lastIndex });
    }
  }
  return found.length > 0 ? joined(found) : found;
}

function joined(spans: Span[]): Span[] {
  const whole: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = whole.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else whole.push({ ...span });
  }
  return whole;
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let safe = "";
  let at = 0;
  for (const { start, end } of spans) {
    safe += text.slice(at, start) + REDACTED;
    at = end;
  }
  return safe + text.slice(at);
}

function safeCopy(value: unknown, forms: readonly string[], above: readonly object[]): unknown {
  if (typeof value === "string") return withoutSecrets(value, forms);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (above.includes(value) || above.length >= DEEPEST) return undefined;
  const path = [...above, value];
  if (Array.isArray(value))
    return value.map((item: unknown) => safeCopy(item, forms, path) ?? null);
  const copies = Object.entries(value instanceof Error ? ownWords(value) : value)
    .map(([key, item]) => [key, isSecret(key, item) ? REDACTED : safeCopy(item, forms, path)])
    .filter(([, item]) => item !== undefined);
  return Object.fromEntries(copies);
}

/** An error as data: name and message, which are not enumerable, without stack and cause. */
function ownWords({ name, message, ...error }: Error): object {
  const { cause: _, stack: __, ...facts } = error;
  return { name, message, ...facts };
}

/** A field of JSON whose name may be that of a secret: a quick look before `namedSecrets`. */
const NAMED_IN_JSON =
  /(?:key|secret|token|passw(?:or)?d|passphrase|authorization|cookies?|credentials?)":/i;

/** Reports whether a JSON text may contain a secret's name as a key. */
export function mayNameSecret(json: string): boolean {
  return NAMED_IN_JSON.test(json);
}

/** Texts that are kept under the name of a secret anywhere in `value`: the same text is a secret elsewhere too. */
export function* namedSecrets(value: unknown, depth = 0): Generator<string> {
  if (typeof value !== "object" || value === null || depth >= DEEPEST) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "string") yield* namedSecrets(item, depth + 1);
    else if (isSecret(key, item) && item.length >= SHORTEST_LEARNT && item !== REDACTED) yield item;
  }
}

/** Each secret plain, URL-encoded, and inside Base64 at each of the three possible offsets. */
export function formsOf(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    forms.add(secret).add(encodeURIComponent(secret.toWellFormed()));
    const binary = String.fromCharCode(...new TextEncoder().encode(secret));
    for (const offset of [0, 1, 2]) {
      // Omits the characters at both ends that neighbouring bytes influence.
      const begin = Math.ceil((offset * 4) / 3);
      const end = Math.floor(((offset + binary.length) * 4) / 3);
      const form = btoa("\0".repeat(offset) + binary).slice(begin, end);
      if (form.length < SHORTEST_SECRET) continue;
      forms.add(form).add(form.replaceAll("+", "-").replaceAll("/", "_"));
    }
  }
  return [...forms];
}
