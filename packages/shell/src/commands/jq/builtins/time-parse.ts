import { JqError } from "../machine.ts";
import type { Value } from "../values.ts";
import { composedOf, DAYS, dayOfYear, MONTHS } from "./time-format.ts";

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  isAfternoon: boolean | undefined;
  epoch: number | undefined;
  dayOfYear: number | undefined;
}

type Read = (text: string, parts: Parts) => number | undefined;

/** Reads a number of at most so many digits. */
function digits(most: number, set: (value: number, parts: Parts) => void, least = 0): Read {
  const pattern = new RegExp(`^\\s*[+-]?\\d{1,${most}}`);
  return (text, parts) => {
    const found = pattern.exec(text)?.[0];
    if (found === undefined || Number(found) < least) return undefined;
    set(Number(found), parts);
    return found.length;
  };
}

function name(names: readonly string[], set: (index: number, parts: Parts) => void): Read {
  return (text, parts) => {
    const lower = text.toLowerCase();
    for (const form of [names, names.map((each) => each.slice(0, 3))]) {
      const index = form.findIndex((each) => lower.startsWith(each.toLowerCase()));
      if (index === -1) continue;
      set(index, parts);
      return form[index]?.length;
    }
    return undefined;
  };
}

const month = name(MONTHS, (index, parts) => (parts.month = index));
const weekday = name(DAYS, () => {});
const day = digits(2, (value, parts) => (parts.day = value));
const hour = digits(2, (value, parts) => (parts.hour = value));
const blank: Read = (text) => /^\s*/.exec(text)?.[0].length;

const readers: Readonly<Record<string, Read>> = {
  A: weekday,
  a: weekday,
  B: month,
  b: month,
  h: month,
  d: day,
  e: day,
  H: hour,
  k: hour,
  I: hour,
  l: hour,
  M: digits(2, (value, parts) => (parts.minute = value)),
  m: digits(2, (value, parts) => (parts.month = value - 1)),
  S: digits(2, (value, parts) => (parts.second = value)),
  Y: digits(4, (value, parts) => (parts.year = value)),
  y: digits(2, (value, parts) => (parts.year = value < 69 ? 2000 + value : 1900 + value)),
  j: digits(3, (value, parts) => (parts.dayOfYear = value - 1)),
  s: digits(20, (value, parts) => (parts.epoch = value)),
  p: name(["AM", "PM"], (index, parts) => (parts.isAfternoon = index === 1)),
  Z: (text) => /^[A-Za-z]*/.exec(text)?.[0].length,
  z: (text) => /^\s*(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(text)?.[0].length,
  n: blank,
  t: blank,
  "%": (text) => (text.startsWith("%") ? 1 : undefined),
};

/** Reads text by the pattern of strptime, as broken-down time. */
export function parseTime(text: string, pattern: string): Value {
  const parts: Parts = {
    year: 1900,
    month: 0,
    day: 0,
    hour: 0,
    minute: 0,
    second: 0,
    isAfternoon: undefined,
    epoch: undefined,
    dayOfYear: undefined,
  };
  const rest = readBy(text, pattern, parts);
  if (rest === undefined) throw new JqError(`date "${text}" does not match format "${pattern}"`);
  if (parts.isAfternoon !== undefined)
    parts.hour = (parts.hour % 12) + (parts.isAfternoon ? 12 : 0);
  const date = parts.epoch === undefined ? new Date(0) : new Date(parts.epoch * 1000);
  if (parts.epoch !== undefined) return brokenDate(date);
  if (parts.dayOfYear !== undefined && parts.day === 0) {
    date.setUTCFullYear(parts.year, 0, parts.dayOfYear + 1);
    parts.month = date.getUTCMonth();
    parts.day = date.getUTCDate();
  }
  date.setUTCFullYear(parts.year, parts.month, parts.day);
  const { year, month: monthIndex, day: dayNumber, hour: hours, minute, second } = parts;
  const yearDay = (date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000;
  const time = [year, monthIndex, dayNumber, hours, minute, second, date.getUTCDay(), yearDay];
  return rest === "" ? time : [...time, rest];
}

function brokenDate(date: Date): Value {
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    date.getUTCDay(),
    dayOfYear(date),
  ];
}

/** @returns what the pattern leaves, or `undefined` if the text does not match */
function readBy(text: string, pattern: string, parts: Parts): string | undefined {
  let rest = text;
  for (const [item, letter] of pattern.matchAll(/%[EO]?([A-Za-z%])|\s+|[^]/g)) {
    if (letter === undefined) {
      if (/^\s/.test(item)) rest = rest.trimStart();
      else if (rest.startsWith(item)) rest = rest.slice(item.length);
      else return undefined;
      continue;
    }
    const inner = composedOf(letter);
    if (inner !== undefined) {
      const left = readBy(rest, inner, parts);
      if (left === undefined) return undefined;
      rest = left;
      continue;
    }
    const length = readers[letter]?.(rest, parts);
    if (length === undefined) return undefined;
    rest = rest.slice(length);
  }
  return rest;
}
