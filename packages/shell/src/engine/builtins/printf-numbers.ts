import { formatTime } from "../text/time-format.ts";
import type { TimeZone } from "../text/time-zone.ts";

/** A number in the form of `%e`, `%f`, `%g` and their like. `exact` is the size of an integer. */
export function formatFloat(
  value: number,
  letter: string,
  {
    flags,
    precision = 6,
    exact,
  }: { flags: string; precision?: number | undefined; exact?: bigint | undefined },
): string {
  const lower = letter.toLowerCase();
  const magnitude = Math.abs(value);
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  let text: string;
  if (!Number.isFinite(value)) text = Number.isNaN(value) ? "nan" : "inf";
  else if (lower === "f") text = fixed(magnitude, precision, exact);
  else if (lower === "e") text = exponent(magnitude, precision);
  else text = general(magnitude, precision || 1, flags.includes("#"));
  // A point in any case, also without digits behind it.
  if (flags.includes("#") && Number.isFinite(value) && !text.includes("."))
    text = text.replace(/(?=e|$)/, ".");
  return sign + (letter === lower ? text : text.toUpperCase());
}

/** All digits of a number; `toFixed` itself ends at 1e21 and at 100 digits. */
function fixed(value: number, precision: number, exact?: bigint): string {
  const integer = exact ?? (value < 1e21 ? undefined : BigInt(value));
  if (integer !== undefined)
    return precision > 0 ? `${integer}.${"0".repeat(precision)}` : String(integer);
  const digits = Math.min(precision, 100);
  return value.toFixed(digits) + "0".repeat(precision - digits);
}

function exponent(value: number, precision: number): string {
  return value.toExponential(Math.min(precision, 100)).replace(/e([+-])(\d)$/, "e$10$2");
}

function general(value: number, precision: number, keepsZeros: boolean): string {
  const power = value === 0 ? 0 : Number(value.toExponential(precision - 1).split("e")[1]);
  const text =
    power < -4 || power >= precision
      ? exponent(value, precision - 1)
      : fixed(value, precision - 1 - power);
  return keepsZeros || !text.includes(".") ? text : text.replace(/\.?0+(?=e|$)/, "");
}

/** A time in the form of `%(…)T`. */
export function printfTime(format: string, given: string | undefined, zone: TimeZone): string {
  const isNow = given === undefined || given === "" || Number(given) < 0;
  const seconds = isNow ? Date.now() / 1_000 : Number(given);
  return formatTime(format || "%H:%M:%S", { seconds: Math.floor(seconds) }, zone);
}
