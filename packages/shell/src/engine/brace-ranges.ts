import type { SyntaxNode } from "#just-bash";

/** Elements of a range beyond which the interpreter silently truncates. */
const MAX_ELEMENTS = 10_000;
/** Elements of a whole expansion beyond which the interpreter ends with an error. */
const MAX_RESULTS = 100_000;

interface Range {
  type: "Range";
  start: number;
  end: number;
  step?: number;
}

const seen = new WeakSet<object>();

/**
 * Writes `{1..20000}` as `{{1..10000},{10001..20000}}`, which is equivalent and expands completely. A range above the
 * limit of an expansion stays too long, so that the interpreter reports it.
 */
export function splitLongRanges(node: SyntaxNode): void {
  visit(node);
}

function visit(value: unknown): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if ("type" in value && value.type === "BraceExpansion" && "items" in value) {
    const { items } = value;
    if (Array.isArray(items)) value.items = items.flatMap((item) => partsOf(item));
  }
  for (const part of Object.values(value)) visit(part);
}

function partsOf(item: unknown): readonly unknown[] {
  if (!isRange(item)) return [item];
  const { start, end } = item;
  const step = Math.abs(item.step ?? 1) || 1;
  const sign = start <= end ? 1 : -1;
  const count = Math.floor(Math.abs(end - start) / step) + 1;
  if (count <= MAX_ELEMENTS) return [item];
  const parts: Range[] = [];
  for (let first = 0; first < Math.min(count, MAX_RESULTS + 1); first += MAX_ELEMENTS) {
    const last = Math.min(count, first + MAX_ELEMENTS) - 1;
    const at = (element: number): number => start + sign * step * element;
    parts.push({ ...item, start: at(first), end: at(last) });
  }
  return parts;
}

function isRange(item: unknown): item is Range {
  return (
    typeof item === "object" &&
    item !== null &&
    "type" in item &&
    item.type === "Range" &&
    "start" in item &&
    typeof item.start === "number" &&
    "end" in item &&
    typeof item.end === "number"
  );
}
