import { JqLimitReached } from "../machine.ts";
import {
  isArray,
  isObject,
  keyOf,
  slotOf,
  slotsOf,
  sortedKeys,
  type Value,
  valueAt,
} from "../values.ts";

/** How values are written. */
export interface Layout {
  /** The text of one level; none of all on one line. */
  readonly indent: string;
  readonly sortsKeys: boolean;
  readonly isAscii: boolean;
}

const COMPACT: Layout = { indent: "", sortsKeys: false, isAscii: false };

/** Writes a number in the shortest form that reads as the same number. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (!Number.isFinite(value)) return numberText(Math.sign(value) * Number.MAX_VALUE);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e15) return String(value);
  const [mantissa = "", exponent = ""] = size.toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const power = Number(exponent);
  const sign = value < 0 ? "-" : "";
  if (power > 0 && power + 1 <= digits.length + 15) return sign + plainDigits(digits, power);
  const magnitude = String(Math.abs(power)).padStart(2, "0");
  return `${sign}${mantissa}e${power < 0 ? "-" : "+"}${magnitude}`;
}

function plainDigits(digits: string, power: number): string {
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  const rest = digits.slice(power + 1);
  return rest === "" ? whole : `${whole}.${rest}`;
}

const NOT_ASCII = /[\u0080-\uffff]/g;

export function quoted(text: string, isAscii = false): string {
  let result = JSON.stringify(text);
  if (result.includes("\\ud")) result = JSON.stringify(text.toWellFormed());
  if (result.includes("\u007f")) result = result.replaceAll("\u007f", "\\u007f");
  if (!isAscii) return result;
  return result.replace(
    NOT_ASCII,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Writes a value on one line. */
export function jsonText(value: Value, limits: { readonly maxCharacters: number }): string {
  return new Writer(COMPACT, limits.maxCharacters).text(value);
}

/** Writes a value in a layout. */
export function laidOut(value: Value, layout: Layout, maxCharacters: number): string {
  return new Writer(layout, maxCharacters).text(value);
}

class Writer {
  readonly #layout: Layout;
  readonly #maxCharacters: number;
  #text = "";

  constructor(layout: Layout, maxCharacters: number) {
    this.#layout = layout;
    this.#maxCharacters = maxCharacters;
  }

  text(value: Value): string {
    this.#write(value, "\n");
    return this.#text;
  }

  #write(value: Value, line: string): void {
    if (typeof value === "string") this.#text += quoted(value, this.#layout.isAscii);
    else if (typeof value === "number") this.#text += numberText(value);
    else if (isArray(value)) this.#writeArray(value, line);
    else if (isObject(value)) this.#writeObject(value, line);
    else this.#text += String(value);
    // Values that share their parts can be of any length.
    if (this.#text.length > this.#maxCharacters)
      throw new JqLimitReached(`string length limit exceeded (${this.#maxCharacters} characters)`);
  }

  #writeArray(value: readonly Value[], line: string): void {
    if (value.length === 0) {
      this.#text += "[]";
      return;
    }
    const { indent } = this.#layout;
    const inner = line + indent;
    let separator = "[";
    for (const item of value) {
      this.#text += indent === "" ? separator : separator + inner;
      this.#write(item, inner);
      separator = ",";
    }
    this.#text += indent === "" ? "]" : `${line}]`;
  }

  #writeObject(value: Value & object, line: string): void {
    if (!isObject(value)) return;
    const { indent, sortsKeys, isAscii } = this.#layout;
    const inner = line + indent;
    let separator = "{";
    for (const slot of sortsKeys ? sortedKeys(value).map(slotOf) : slotsOf(value)) {
      this.#text += indent === "" ? separator : separator + inner;
      this.#text += quoted(keyOf(slot), isAscii) + (indent === "" ? ":" : ": ");
      this.#write(valueAt(value, slot), inner);
      separator = ",";
    }
    if (separator === "{") this.#text += "{}";
    else this.#text += indent === "" ? "}" : `${line}}`;
  }
}
