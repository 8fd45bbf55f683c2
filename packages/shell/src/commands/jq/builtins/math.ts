import { numberOf, valueError } from "../errors.ts";
import { lengthInCharacters } from "./strings.ts";
import { isArray, isObject, slotsOf, type Value } from "../values.ts";
import type { NativeValues } from "./native.ts";

/** Numerator coefficients of Lanczos' approximation of the gamma function. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

function gamma(value: number): number {
  if (value < 0.5) return Math.PI / (Math.sin(Math.PI * value) * gamma(1 - value));
  if (Number.isInteger(value) && value < 24) {
    let product = 1;
    for (let factor = 2; factor < value; factor++) product *= factor;
    return product;
  }
  const [sum, shifted] = lanczos(value - 1);
  return Math.sqrt(2 * Math.PI) * shifted ** (value - 0.5) * Math.exp(-shifted) * sum;
}

function lanczos(value: number): [sum: number, shifted: number] {
  const sum = LANCZOS.reduce(
    (total, term, at) => (at === 0 ? term : total + term / (value + at)),
    0,
  );
  return [sum, value + 7.5];
}

/** The logarithm of the absolute value of the gamma function. */
function logGamma(value: number): number {
  if (value === 1 || value === 2) return 0;
  if (value < 0.5)
    return Math.log(Math.abs(Math.PI / Math.sin(Math.PI * value))) - logGamma(1 - value);
  const [sum, shifted] = lanczos(value - 1);
  return 0.5 * Math.log(2 * Math.PI) + (value - 0.5) * Math.log(shifted) - shifted + Math.log(sum);
}

/** Rounds half away from zero, as C does. */
function round(value: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5) || 0;
}

/** Rounds half to even. */
function rint(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** A number as a fraction from a half to one, and a power of two. */
function frexp(value: number): [fraction: number, exponent: number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1);
  let fraction = value * 2 ** -exponent;
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    exponent--;
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    exponent++;
  }
  return [fraction, exponent];
}

/** Scales by a power of two, in steps that do not overflow by themselves. */
function ldexp(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

function logb(value: number): number {
  if (value === 0) return Number.NEGATIVE_INFINITY;
  return Number.isFinite(value) ? frexp(value)[1] - 1 : Math.abs(value);
}

function nextAfter(from: number, to: number): number {
  if (from === to || Number.isNaN(from) || Number.isNaN(to)) return from + to - from;
  if (from === 0) return to > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, from);
  const isAway = from > 0 === to > from;
  view.setBigInt64(0, view.getBigInt64(0) + (isAway ? 1n : -1n));
  return view.getFloat64(0);
}

/** The remainder of a division whose quotient is rounded to the nearest integer. */
function remainder(one: number, other: number): number {
  return one - other * rint(one / other);
}

const unary: Readonly<Record<string, (value: number) => number>> = {
  ...Object.fromEntries(
    (
      "acos acosh asin asinh atan atanh cbrt ceil cos cosh exp expm1 floor log log10 log1p log2 sin sinh sqrt tan " +
      "tanh trunc"
    )
      .split(" ")
      .map((name) => [name, Reflect.get(Math, name) as (value: number) => number]),
  ),
  exp2: (value) => 2 ** value,
  exp10: (value) => 10 ** value,
  pow10: (value) => 10 ** value,
  fabs: Math.abs,
  gamma: logGamma,
  lgamma: logGamma,
  tgamma: gamma,
  logb,
  nearbyint: rint,
  rint,
  round,
  significand: (value) =>
    value === 0 || !Number.isFinite(value) ? value : value * 2 ** -logb(value),
};

const binary: Readonly<Record<string, (one: number, other: number) => number>> = {
  atan2: Math.atan2,
  copysign: (one, other) => (Object.is(Math.sign(other), -0) || other < 0 ? -1 : 1) * Math.abs(one),
  drem: remainder,
  remainder,
  fdim: (one, other) => (one > other ? one - other : 0),
  fmax: (one, other) =>
    Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.max(one, other),
  fmin: (one, other) =>
    Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.min(one, other),
  fmod: (one, other) => one % other,
  hypot: Math.hypot,
  ldexp,
  scalb: ldexp,
  scalbln: ldexp,
  nextafter: nextAfter,
  nexttoward: nextAfter,
  pow: (one, other) => (one === 1 ? 1 : one ** other),
};

function lengthOf(value: Value): number {
  if (value === null) return 0;
  if (typeof value === "string") return lengthInCharacters(value);
  if (typeof value === "number") return Math.abs(value);
  if (isArray(value)) return value.length;
  if (isObject(value)) return slotsOf(value).length;
  throw valueError("has no length", value);
}

const number = (value: Value): number => numberOf(value);

export const mathValues: NativeValues = {
  ...Object.fromEntries(
    Object.entries(unary).map(([name, compute]) => [
      `${name}/0`,
      (_: unknown, input: Value) => compute(number(input)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(binary).map(([name, compute]) => [
      `${name}/2`,
      (_: unknown, __: Value, one: Value = null, other: Value = null) =>
        compute(number(one), number(other)),
    ]),
  ),
  "fma/3": (_, __, one = null, two = null, three = null) =>
    number(one) * number(two) + number(three),
  "frexp/0": (_, input) => frexp(number(input)),
  "modf/0"(_, input) {
    const whole = Math.trunc(number(input));
    return [Number.isFinite(whole) ? number(input) - whole : 0, whole];
  },
  "lgamma_r/0": (_, input) => {
    const value = number(input);
    const isNegative = value < 0 && Math.floor(value) % 2 !== 0;
    return [logGamma(value), isNegative ? -1 : 1];
  },
  "abs/0": (_, input) => (typeof input === "number" && input < 0 ? -input : input),
  "length/0": (_, input) => lengthOf(input),
  "infinite/0": () => Number.POSITIVE_INFINITY,
  "nan/0": () => Number.NaN,
  "isinfinite/0": (_, input) =>
    input === Number.POSITIVE_INFINITY || input === Number.NEGATIVE_INFINITY,
  "isnan/0": (_, input) => Number.isNaN(input),
  "isnormal/0": (_, input) =>
    typeof input === "number" && Number.isFinite(input) && Math.abs(input) >= 2 ** -1022,
  "isfinite/0": (_, input) =>
    typeof input === "number" && Math.abs(input) !== Number.POSITIVE_INFINITY,
};
