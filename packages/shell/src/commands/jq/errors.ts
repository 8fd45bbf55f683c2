import { JqError } from "./machine.ts";
import { jsonText } from "./text/print.ts";
import { isArray, kindOf, type Value } from "./values.ts";

const SHOWN_BYTES = 14;
const encoder = new TextEncoder();

/** The beginning of a value as JSON. */
export function excerpt(value: Value, bytes = SHOWN_BYTES): string {
  const text = jsonText(value, { maxCharacters: 1_000_000 });
  const encoded = encoder.encode(text.slice(0, bytes + 1));
  if (encoded.length <= bytes) return text;
  // Characters that are cut in the middle are left out.
  const kept = new TextDecoder().decode(encoded.subarray(0, bytes - 3), { stream: true });
  return `${kept}...`;
}

/** The type of a value and its beginning, for messages. */
export function described(value: Value): string {
  return `${kindOf(value)} (${excerpt(value)})`;
}

/** An error about one value, or two. */
export function valueError(what: string, ...values: readonly Value[]): JqError {
  return new JqError(`${values.map(described).join(" and ")} ${what}`);
}

export function numberOf(value: Value, what = "number required"): number {
  if (typeof value !== "number") throw valueError(what, value);
  return value;
}

export function arrayOf(value: Value, message: string): readonly Value[] {
  if (!isArray(value)) throw new JqError(message);
  return value;
}
