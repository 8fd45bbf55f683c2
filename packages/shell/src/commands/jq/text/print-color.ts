import { type Layout, numberText, quoted } from "./print.ts";
import {
  isArray,
  isObject,
  keyOf,
  kindOf,
  slotOf,
  slotsOf,
  sortedKeys,
  type Value,
  valueAt,
} from "../values.ts";

const RESET = "\x1b[0m";
const KEY = "\x1b[34;1m";
const MARK = "\x1b[1;39m";
const COLORS = {
  null: "\x1b[1;30m",
  boolean: "\x1b[0;39m",
  number: "\x1b[0;39m",
  string: "\x1b[0;32m",
};

/** Writes a value in colours, for a terminal. */
export function colored(value: Value, layout: Layout, line = "\n"): string {
  const { indent, isAscii } = layout;
  const kind = kindOf(value);
  if (kind !== "array" && kind !== "object") {
    const text =
      typeof value === "string"
        ? quoted(value, isAscii)
        : typeof value === "number"
          ? numberText(value)
          : String(value as boolean | null);
    return COLORS[kind] + text + RESET;
  }
  const inner = line + indent;
  const next = indent === "" ? "" : inner;
  const end = indent === "" ? "" : line;
  if (isArray(value)) {
    if (value.length === 0) return `${MARK}[]${RESET}`;
    const items = value.map((item) => colored(item, layout, inner)).join(`${MARK},${next}`);
    return `${MARK}[${next}${items}${MARK}${end}${MARK}]${RESET}`;
  }
  if (!isObject(value)) return "";
  const slots = layout.sortsKeys ? sortedKeys(value).map(slotOf) : slotsOf(value);
  if (slots.length === 0) return `${MARK}{}${RESET}`;
  const colon = `${MARK}${indent === "" ? ":" : ": "}${RESET}`;
  const entries = slots.map(
    (slot) =>
      `${RESET}${KEY}${quoted(keyOf(slot), isAscii)}${RESET}${colon}${colored(valueAt(value, slot), layout, inner)}`,
  );
  return `${MARK}{${next}${entries.join(`${MARK},${next}`)}${MARK}${end}${MARK}}${RESET}`;
}
