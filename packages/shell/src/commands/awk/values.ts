/** A numeric string of the input: it compares as a number, and prints unchanged. */
export interface NumberText {
  readonly text: string;
  readonly number: number;
}

/** A value; `undefined` is an unset variable: 0 and "". */
export type Value = number | string | NumberText | undefined;
export type List = Map<string, Value>;

const prefix = /^[ \t\n\r\f\v]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;
const whole = /^[ \t\n\r\f\v]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t\n\r\f\v]*$/;

/** Converts external input to a value. */
export function input(text: string): Value {
  return whole.test(text) ? { text, number: Number(text) } : text;
}

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  if (typeof value === "object") return value.number;
  const match = prefix.exec(value);
  return match ? Number(match[0]) : 0;
}

export function toText(value: Value, format = "%.6g"): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (typeof value === "object") return value.text;
  if (Number.isInteger(value)) return Math.abs(value) < 1e16 ? String(value + 0) : toInteger(value);
  return formatted(format, [value], format);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "string") return value !== "";
  return toNumber(value) !== 0;
}

/** Compares numbers as numbers; a string operand makes it a string comparison. */
export function compare(one: Value, other: Value, format: string): number {
  if (typeof one !== "string" && typeof other !== "string") return toNumber(one) - toNumber(other);
  const [left, right] = [toText(one, format), toText(other, format)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function toInteger(value: number): string {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : special(value);
}

function special(value: number): string {
  return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/** Ends a program that exceeds a limit. */
export class LimitReached extends Error {
  override readonly name = "LimitReached" as const;
}

/** Maximum width to pad a number or a text to. */
const WIDEST = 1_000_000;

function widthOf(value: number): number {
  if (value > WIDEST) throw new LimitReached(`a width or precision of ${value} is too large`);
  return value;
}

const formats = /%(?:%|([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlLjzt]*([a-zA-Z]))/g;

/** Formats like `printf`. A missing argument is empty, or 0. */
export function formatted(format: string, args: readonly Value[], numbers = "%.6g"): string {
  let next = 0;
  const take = (): Value => args[next++];
  return format.replace(
    formats,
    (all, flags = "", width?: string, precision?: string, letter?: string) => {
      if (letter === undefined) return "%";
      let wide = widthOf(Math.trunc(width === "*" ? toNumber(take()) : Number(width ?? 0)));
      let set = new Set<string>(flags);
      if (wide < 0) {
        wide = widthOf(-wide);
        set = set.add("-");
      }
      const digits =
        precision === undefined
          ? undefined
          : precision === "*"
            ? widthOf(Math.max(0, Math.trunc(toNumber(take()))))
            : widthOf(Number(precision));
      if (letter === "c" || letter === "s") {
        const value = take();
        const text = letter === "s" ? toText(value, numbers) : characterOf(value);
        return padded(
          letter === "s" && digits !== undefined ? text.slice(0, digits) : text,
          wide,
          set,
        );
      }
      const text = numberText(letter, toNumber(take()), set, digits);
      if (text === undefined) return all;
      if (set.has("0") && !set.has("-") && /\d/.test(text)) {
        if (digits === undefined || "feEgG".includes(letter)) {
          const [sign = ""] = /^(?:[+ -]?0[xX]|[+ -])/.exec(text) ?? [];
          return sign + text.slice(sign.length).padStart(wide - sign.length, "0");
        }
      }
      return padded(text, wide, set);
    },
  );
}

function characterOf(value: Value): string {
  if (typeof value === "string") return Array.from(value)[0] ?? "";
  const code = Math.trunc(toNumber(value));
  return code >= 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
}

function padded(text: string, width: number, flags: ReadonlySet<string>): string {
  // Characters outside of the first plane take two code units.
  const units = width + (text.match(/[\ud800-\udbff]/g)?.length ?? 0);
  return flags.has("-") ? text.padEnd(units) : text.padStart(units);
}

function numberText(
  letter: string,
  value: number,
  flags: ReadonlySet<string>,
  digits: number | undefined,
): string | undefined {
  const sign = (text: string): string =>
    text.startsWith("-") ? text : flags.has("+") ? `+${text}` : flags.has(" ") ? ` ${text}` : text;
  if (!Number.isFinite(value) && /[a-zA-Z]/.test(letter)) return sign(special(value));
  const places = Math.min(digits ?? 6, 100);
  switch (letter) {
    case "d":
    case "i": {
      const text = toInteger(value);
      const least = digits ?? 0;
      return sign(
        text.startsWith("-") ? `-${text.slice(1).padStart(least, "0")}` : text.padStart(least, "0"),
      );
    }
    case "u":
      return BigInt.asUintN(64, BigInt(Math.trunc(value)))
        .toString()
        .padStart(digits ?? 0, "0");
    case "o":
    case "x":
    case "X": {
      const plain = BigInt.asUintN(64, BigInt(Math.trunc(value)))
        .toString(letter === "o" ? 8 : 16)
        .padStart(digits ?? 0, "0");
      const text =
        flags.has("#") && value !== 0 ? (letter === "o" ? `0${plain}` : `0x${plain}`) : plain;
      return letter === "X" ? text.toUpperCase() : text;
    }
    case "f":
    case "F":
      return sign(fixed(value, places));
    case "e":
    case "E":
      return sign(exponential(value, places, letter));
    case "g":
    case "G":
      return sign(general(value, digits ?? 6, letter, flags.has("#")));
    default:
      return undefined;
  }
}

function fixed(value: number, places: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(places);
  return toInteger(value) + (places > 0 ? `.${"0".repeat(places)}` : "");
}

function exponential(value: number, places: number, letter: string): string {
  const text = value.toExponential(places).replace(/e([+-])(\d)$/, "e$10$2");
  return letter === "E" ? text.toUpperCase() : text;
}

function general(value: number, precision: number, letter: string, isFull: boolean): string {
  const digits = Math.min(Math.max(1, precision), 100);
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split("e")[1]);
  const isLong = exponent < -4 || exponent >= digits;
  const text = isLong
    ? exponential(value, digits - 1, letter === "G" ? "E" : "e")
    : fixed(value, Math.max(0, digits - 1 - exponent));
  return isFull || !text.includes(".") ? text : text.replace(/\.?0+(?=$|[eE])/, "");
}
