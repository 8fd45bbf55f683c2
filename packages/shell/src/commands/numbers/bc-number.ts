/** A decimal fraction of `bc`: `digits` divided by ten to the `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Maximum digits; a larger power or scale would only keep the page busy. */
const MAX_DIGITS = 20_000;

export const ZERO: Decimal = { digits: 0n, scale: 0 };

function power10(exponent: number): bigint {
  if (exponent > MAX_DIGITS) throw new Error(`more than ${MAX_DIGITS} digits`);
  return 10n ** BigInt(exponent);
}

export function fromInteger(value: bigint | number): Decimal {
  return { digits: BigInt(value), scale: 0 };
}

/** The same value truncated or padded to `scale` places. */
export function toScale({ digits, scale }: Decimal, wanted: number): Decimal {
  if (wanted === scale) return { digits, scale };
  const changed =
    wanted > scale ? digits * power10(wanted - scale) : digits / power10(scale - wanted);
  return { digits: changed, scale: wanted };
}

function aligned(one: Decimal, other: Decimal): [one: bigint, other: bigint, scale: number] {
  const scale = Math.max(one.scale, other.scale);
  return [toScale(one, scale).digits, toScale(other, scale).digits, scale];
}

export function add(one: Decimal, other: Decimal): Decimal {
  const [left, right, scale] = aligned(one, other);
  return { digits: left + right, scale };
}

export function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function compare(one: Decimal, other: Decimal): number {
  const [left, right] = aligned(one, other);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function multiply(one: Decimal, other: Decimal, scale: number): Decimal {
  const whole = { digits: one.digits * other.digits, scale: one.scale + other.scale };
  return toScale(whole, Math.min(whole.scale, Math.max(scale, one.scale, other.scale)));
}

export function divide(one: Decimal, other: Decimal, scale: number): Decimal {
  if (other.digits === 0n) throw new Error("Divide by zero");
  const shifted = one.digits * power10(scale + other.scale);
  return { digits: shifted / (other.digits * power10(one.scale)), scale };
}

/** The remainder of a division to `scale` places. */
export function modulo(one: Decimal, other: Decimal, scale: number): Decimal {
  const quotient = divide(one, other, scale);
  const wanted = Math.max(scale + other.scale, one.scale);
  const product = { digits: quotient.digits * other.digits, scale: quotient.scale + other.scale };
  return toScale(add(one, negate(product)), wanted);
}

export function raise(base: Decimal, exponent: Decimal, scale: number): Decimal {
  const times = Number(toScale(exponent, 0).digits);
  const size = base.digits.toString().length * Math.abs(times);
  if (size > MAX_DIGITS) throw new Error(`more than ${MAX_DIGITS} digits`);
  const count = Math.abs(times);
  const whole = { digits: base.digits ** BigInt(count), scale: base.scale * count };
  if (times < 0) return divide(fromInteger(1), whole, scale);
  return toScale(whole, Math.min(whole.scale, Math.max(scale, base.scale)));
}

export function squareRoot(value: Decimal, scale: number): Decimal {
  if (value.digits < 0n) throw new Error("Square root of a negative number");
  const wanted = Math.max(scale, value.scale);
  const square = toScale(value, wanted * 2).digits;
  if (square === 0n) return { digits: 0n, scale: wanted };
  let root = power10(Math.ceil(square.toString().length / 2));
  for (;;) {
    const next = (root + square / root) / 2n;
    if (next >= root) return { digits: root, scale: wanted };
    root = next;
  }
}

/** Extra digits of precision for computing a series. */
const GUARD = 10;

export function exponential(value: Decimal, scale: number): Decimal {
  const places = scale + GUARD + Math.ceil(Math.abs(Number(toScale(value, 0).digits)) / 2);
  if (Math.abs(Number(toScale(value, 0).digits)) > 10_000) throw new Error("exponent is too large");
  // Halves the argument until it is small, then squares the result as often.
  let halvings = 0;
  let small = toScale(value, places + 10);
  while (
    compare(
      { ...small, digits: small.digits < 0n ? -small.digits : small.digits },
      { digits: 1n, scale: 1 },
    ) > 0
  ) {
    small = { digits: small.digits / 2n, scale: small.scale };
    halvings += 1;
  }
  const deep = small.scale;
  const one = power10(deep);
  let [term, sum] = [one, one];
  for (let at = 1n; term !== 0n; at++) {
    term = (term * small.digits) / (one * at);
    sum += term;
  }
  for (let at = 0; at < halvings; at++) sum = (sum * sum) / one;
  return toScale({ digits: sum, scale: deep }, scale);
}

export function logarithm(value: Decimal, scale: number): Decimal {
  if (value.digits <= 0n) throw new Error("Logarithm of a number that is not positive");
  const places = scale + GUARD + 10;
  const one = power10(places);
  // Taking roots brings it near 1, where the series is short.
  let root = toScale(value, places);
  let factor = 2n;
  const distance = (): bigint => (root.digits > one ? root.digits - one : one - root.digits);
  while (distance() * 10n > one) {
    root = squareRoot(root, places);
    factor *= 2n;
  }
  const ratio = ((root.digits - one) * one) / (root.digits + one);
  const square = (ratio * ratio) / one;
  let [term, sum] = [ratio, ratio];
  for (let at = 3n; term !== 0n; at += 2n) {
    term = (term * square) / one;
    sum += term / at;
  }
  return toScale({ digits: sum * factor, scale: places }, scale);
}

export function arctangent(value: Decimal, scale: number): Decimal {
  const places = scale + GUARD + 10;
  const one = power10(places);
  let small = toScale(value, places).digits;
  let factor = 1n;
  const size = (number: bigint): bigint => (number < 0n ? -number : number);
  while (size(small) * 5n > one) {
    const root = squareRoot(
      { digits: one * one + small * small, scale: places * 2 },
      places,
    ).digits;
    small =
      (small * one) /
      (one + toScale({ digits: root, scale: Math.max(places, places * 2) }, places).digits);
    factor *= 2n;
  }
  const square = (small * small) / one;
  let [term, sum] = [small, small];
  for (let at = 3n; term !== 0n; at += 2n) {
    term = (-term * square) / one;
    sum += term / at;
  }
  return toScale({ digits: sum * factor, scale: places }, scale);
}

/** Sine; `isCosine` starts the same series one term earlier. */
export function sine(value: Decimal, scale: number, isCosine: boolean): Decimal {
  const places = scale + GUARD + 10;
  const one = power10(places);
  const full = arctangent(fromInteger(1), places).digits * 8n;
  const angle = toScale(value, places).digits % full;
  const square = (angle * angle) / one;
  let term = isCosine ? one : angle;
  let sum = term;
  for (let at = isCosine ? 1n : 2n; term !== 0n; at += 2n) {
    term = (-term * square) / (one * at * (at + 1n));
    sum += term;
  }
  return toScale({ digits: sum, scale: places }, scale);
}

const LINE = 69;
const figures = "0123456789ABCDEF";

/** Formats like `bc`: no zero before the point, long lines folded. */
export function format(value: Decimal, base: number): string {
  const text = base === 10 ? decimalText(value) : textInBase(value, base);
  if (text.length < LINE) return text;
  return (text.match(new RegExp(`.{1,${LINE - 1}}`, "g")) ?? [text]).join("\\\n");
}

function decimalText({ digits, scale }: Decimal): string {
  if (digits === 0n) return "0";
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(scale, "0");
  const whole = text.slice(0, text.length - scale);
  return sign + whole + (scale > 0 ? `.${text.slice(text.length - scale)}` : "");
}

function textInBase(value: Decimal, base: number): string {
  const sign = value.digits < 0n ? "-" : "";
  const size = value.digits < 0n ? -value.digits : value.digits;
  const unit = power10(value.scale);
  const figure = (number: number): string =>
    base <= 16
      ? (figures[number] ?? "")
      : ` ${String(number).padStart(String(base - 1).length, "0")}`;
  let text = "";
  for (let whole = size / unit; whole > 0n; whole /= BigInt(base)) {
    text = figure(Number(whole % BigInt(base))) + text;
  }
  let rest = size % unit;
  if (rest === 0n) return sign + (text || "0");
  text += ".";
  for (let reached = 1n; reached < unit; reached *= BigInt(base)) {
    rest *= BigInt(base);
    text += figure(Number(rest / unit));
    rest %= unit;
  }
  return sign + text;
}
