import { DAYS, MONTHS } from "../../engine/text/time-format.ts";

/** The parts of a date as they are read from its words. */
export interface DateParts {
  /** The text that is left. */
  rest: string;
  times: number;
  dates: number;
  days: number;
  zones: number;
  hasRelatives: boolean;
  hasYear: boolean;
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanoseconds: number;
  weekday: number;
  ordinal: number;
  /** Seconds east of Greenwich. */
  zone: number;
  relative: { years: number; months: number; days: number; seconds: number; nanoseconds: number };
}

/** Reads one item at the start of the rest. @returns false when it is none of its kind */
type Reader = (parts: DateParts) => boolean;

const HOUR = 3_600;

const ZONES: Readonly<Record<string, number>> = {
  bst: 1,
  cdt: -5,
  cest: 2,
  cet: 1,
  cst: -6,
  edt: -4,
  eest: 3,
  eet: 2,
  est: -5,
  gmt: 0,
  ist: 5.5,
  jst: 9,
  mdt: -6,
  msk: 3,
  mst: -7,
  pdt: -7,
  pst: -8,
  ut: 0,
  utc: 0,
  wet: 0,
  z: 0,
};

const ORDINALS: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  a: 1,
  an: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};

const SHIFTS: Readonly<Record<string, number>> = { yesterday: -1, tomorrow: 1, today: 0, now: 0 };

type Relative = DateParts["relative"];

const UNITS: Readonly<Record<string, readonly [part: keyof Relative, size: number]>> = {
  year: ["years", 1],
  month: ["months", 1],
  fortnight: ["days", 14],
  week: ["days", 7],
  day: ["days", 1],
  hour: ["seconds", HOUR],
  minute: ["seconds", 60],
  min: ["seconds", 60],
  second: ["seconds", 1],
  sec: ["seconds", 1],
};

const UNIT = `(${Object.keys(UNITS).join("|")})s?(?![a-z])(\\s+ago(?![a-z]))?`;
const MONTH = "(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";

/** Takes a match off the start of the rest. */
function take(parts: DateParts, pattern: RegExp): (string | undefined)[] | undefined {
  const match = pattern.exec(parts.rest);
  if (!match) return undefined;
  parts.rest = parts.rest.slice(match[0].length);
  return [...match];
}

function setDate(parts: DateParts, month: number, day: number, year?: string): true {
  parts.dates += 1;
  [parts.month, parts.day] = [month, day];
  if (year !== undefined) setYear(parts, year);
  return true;
}

/** A year of two digits is the nearest of that ending. */
function setYear(parts: DateParts, digits: string): void {
  const year = Number(digits);
  parts.hasYear = true;
  parts.year = digits.length > 2 ? year : year + (year < 69 ? 2_000 : 1_900);
}

function monthOf(name: string | undefined): number {
  return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name?.slice(0, 3)) + 1;
}

function isoDate(parts: DateParts): boolean {
  const found = take(parts, /^(\d{4,})-(\d{1,2})-(\d{1,2})(?:t(?=\d)|(?!\d))/);
  if (!found) return false;
  return setDate(parts, Number(found[2]), Number(found[3]), found[1]);
}

function slashDate(parts: DateParts): boolean {
  const [whole, ...numbers] = take(parts, /^(\d+)\/(\d{1,2})(?:\/(\d+))?(?!\d)/) ?? [];
  if (whole === undefined) return false;
  const [one = "", two = "", three] = numbers;
  return one.length >= 4
    ? setDate(parts, Number(two), Number(three), one)
    : setDate(parts, Number(one), Number(two), three);
}

/** `1 March 2024`, `1-Mar-2024`, `March 1, 2024`, `Mar 1`. */
function namedDate(parts: DateParts): boolean {
  const dayFirst = take(
    parts,
    new RegExp(
      `^(\\d{1,2})(?:\\s*-\\s*|\\s+|)${MONTH}(?:(?:\\s*-\\s*|\\s+)(\\d{4})(?![\\d:])|-(\\d{2})(?!\\d))?`,
    ),
  );
  if (dayFirst)
    return setDate(parts, monthOf(dayFirst[2]), Number(dayFirst[1]), dayFirst[3] ?? dayFirst[4]);
  const monthFirst = take(
    parts,
    new RegExp(`^${MONTH}(?:\\s+|-)(\\d{1,2})(?![\\d:])(?:(?:\\s*,\\s*|-)(\\d{2,4})(?![\\d:]))?`),
  );
  if (!monthFirst) return false;
  return setDate(parts, monthOf(monthFirst[1]), Number(monthFirst[2]), monthFirst[3]);
}

function clockTime(parts: DateParts): boolean {
  const found = take(
    parts,
    /^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?(?:\s*([ap])\.?m\.?(?![a-z]))?/,
  );
  if (!found) return false;
  const [, hour = "", minute = "", second = "0", fraction = "", half] = found;
  setTime(parts, hourOf(Number(hour), half), Number(minute), Number(second));
  parts.nanoseconds = Number(fraction.slice(0, 9).padEnd(9, "0"));
  // An offset behind a time is a zone, whatever follows.
  if (half === undefined) zoneOffset(parts, 0);
  return true;
}

function setTime(parts: DateParts, hour: number, minute: number, second: number): void {
  parts.times += 1;
  Object.assign(parts, { hour, minute, second, nanoseconds: 0 });
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.POSITIVE_INFINITY;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

function halfDayTime(parts: DateParts): boolean {
  const found = take(parts, /^(\d{1,2})\s*([ap])\.?m\.?(?![a-z])/);
  if (!found) return false;
  setTime(parts, hourOf(Number(found[1]), found[2]), 0, 0);
  return true;
}

function zoneOffset(parts: DateParts, base: number): boolean {
  const found = take(parts, /^\s*([-+])\s*(?:(\d{1,2}):(\d\d)|(\d{4})|(\d{1,2}))(?![\d:])/);
  if (!found) return false;
  const [, sign, colonHours, colonMinutes, four, hours] = found;
  const size =
    Number(colonHours ?? four?.slice(0, 2) ?? hours) * HOUR +
    Number(colonMinutes ?? four?.slice(2) ?? 0) * 60;
  parts.zones += 1;
  parts.zone = base + (sign === "-" ? -size : size);
  return true;
}

function zoneName(parts: DateParts): boolean {
  const name = /^[a-z]+(?![a-z])/.exec(parts.rest)?.[0] ?? "";
  const hours = Object.hasOwn(ZONES, name) ? ZONES[name] : undefined;
  if (hours === undefined) return false;
  parts.rest = parts.rest.slice(name.length);
  const isRelative = new RegExp(`^\\s*[-+]\\s*\\d+\\s*${UNIT}`).test(parts.rest);
  if (!isRelative && zoneOffset(parts, hours * HOUR)) return true;
  parts.zones += 1;
  parts.zone = hours * HOUR;
  return true;
}

function relativeTime(parts: DateParts): boolean {
  const shift = take(parts, /^(yesterday|tomorrow|today|now)(?![a-z])/);
  if (shift) {
    parts.hasRelatives = true;
    parts.relative.days += SHIFTS[shift[1] ?? ""] ?? 0;
    return true;
  }
  const words = Object.keys(ORDINALS).join("|");
  const found =
    take(parts, new RegExp(`^([-+]?)\\s*(\\d+)\\s*${UNIT}`)) ??
    take(parts, new RegExp(`^()(?:(${words})\\s+)?${UNIT}`));
  if (!found) return false;
  const [, sign, count, unit = "", ago] = found;
  const size = count === undefined ? 1 : (ORDINALS[count] ?? Number(count));
  const [part, factor] = UNITS[unit] ?? ["days", 0];
  parts.hasRelatives = true;
  parts.relative[part] += size * factor * (sign === "-" ? -1 : 1) * (ago === undefined ? 1 : -1);
  return true;
}

function weekday(parts: DateParts): boolean {
  const words = Object.keys(ORDINALS).filter((word) => word.length > 2);
  const found = take(
    parts,
    new RegExp(
      `^(?:(${words.join("|")})\\s+)?(sun|mon|tue|wed|thu|fri|sat)(?:s|rs|r|nes|${DAYS.map((name) => name.slice(3).toLowerCase()).join("|")})?(?![a-z])\\.?`,
    ),
  );
  if (!found) return false;
  parts.days += 1;
  parts.weekday = DAYS.findIndex((name) => name.slice(0, 3).toLowerCase() === found[2]);
  parts.ordinal = found[1] === undefined ? 0 : (ORDINALS[found[1]] ?? 0);
  return true;
}

/** A number by itself: a date without separators, a year behind a date, or a time. */
function plainNumber(parts: DateParts): boolean {
  const compact = take(parts, /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)?(?!\d)/);
  if (compact) {
    setTime(parts, Number(compact[4]), Number(compact[5]), Number(compact[6] ?? 0));
    zoneOffset(parts, 0);
    return setDate(parts, Number(compact[2]), Number(compact[3]), compact[1]);
  }
  const digits = take(parts, /^(\d+)(?![\d:])/)?.[1];
  if (digits === undefined) return false;
  const { dates, times, hasYear, hasRelatives } = parts;
  if (dates > 0 && !hasYear && !hasRelatives && (times > 0 || digits.length > 2)) {
    setYear(parts, digits);
    return true;
  }
  if (digits.length > 4)
    return setDate(
      parts,
      Number(digits.slice(-4, -2)),
      Number(digits.slice(-2)),
      digits.slice(0, -4),
    );
  if (digits.length <= 2) setTime(parts, Number(digits), 0, 0);
  else setTime(parts, Number(digits.slice(0, -2)), Number(digits.slice(-2)), 0);
  zoneOffset(parts, 0);
  return true;
}

/** In the order in which they are tried. */
export const readers: readonly Reader[] = [
  isoDate,
  slashDate,
  namedDate,
  clockTime,
  halfDayTime,
  relativeTime,
  weekday,
  zoneName,
  plainNumber,
];
