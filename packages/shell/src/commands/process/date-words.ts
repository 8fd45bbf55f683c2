import type { Moment } from "../../engine/text/time-format.ts";
import { secondsAt, type TimeZone, timeZone } from "../../engine/text/time-zone.ts";
import { type DateParts, readers } from "./date-readers.ts";

/**
 * The moment that a text of `date -d` means: absolute (`2024-01-31 10:00`, `1 March 2024 3pm`, `@0`), relative (`2 days
 * ago`, `next month`), or both. `undefined` for a text that means none.
 */
export function parseDate(text: string, now: Moment, zone: TimeZone): Moment | undefined {
  const [prefix = "", name] = /^\s*TZ="([^"]*)"/.exec(text) ?? [];
  const own = name === undefined ? zone : timeZone(name);
  const plain = text.slice(prefix.length).trim();
  const [, whole, fraction = ""] = /^@\s*([-+]?\d+)(?:[.,](\d+))?$/.exec(plain) ?? [];
  if (whole !== undefined) return secondsSinceEpoch(Number(whole), fraction);
  const parts = partsAt(now, own);
  parts.rest = plain.toLowerCase().replace(/\([^()]*\)/g, " ");
  while ((parts.rest = parts.rest.replace(/^[\s,]+|^-(?!\s*\d)/, "")) !== "")
    if (!readers.some((read) => read(parts))) return undefined;
  return momentOf(parts, own);
}

function secondsSinceEpoch(seconds: number, fraction: string): Moment {
  const nanoseconds = Number(fraction.slice(0, 9).padEnd(9, "0"));
  return seconds < 0 && nanoseconds > 0
    ? { seconds: seconds - 1, nanoseconds: 1e9 - nanoseconds }
    : { seconds, nanoseconds };
}

function partsAt(now: Moment, zone: TimeZone): DateParts {
  const shown = new Date((now.seconds + zone.offsetAt(now.seconds)) * 1_000);
  return {
    rest: "",
    times: 0,
    dates: 0,
    days: 0,
    zones: 0,
    hasRelatives: false,
    hasYear: false,
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    nanoseconds: now.nanoseconds ?? 0,
    weekday: 0,
    ordinal: 0,
    zone: 0,
    relative: { years: 0, months: 0, days: 0, seconds: 0, nanoseconds: 0 },
  };
}

function momentOf(parts: DateParts, own: TimeZone): Moment | undefined {
  const { times, dates, days, zones, hasRelatives, relative } = parts;
  if (times > 1 || dates > 1 || days > 1 || zones > 1) return undefined;
  // A date or a day without a time begins at midnight; an offset alone counts from now.
  const keepsTime = times > 0 || (hasRelatives && dates === 0 && days === 0);
  const { hour, minute, second, nanoseconds } = keepsTime
    ? parts
    : { hour: 0, minute: 0, second: 0, nanoseconds: 0 };
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(utc(parts.year, parts.month - 1, parts.day));
  const isReal = date.getUTCMonth() === parts.month - 1 && date.getUTCDate() === parts.day;
  if (!isReal) return undefined;
  // A weekday beside a date counts for nothing.
  if (days > 0 && dates === 0) {
    const ahead = (parts.weekday - date.getUTCDay() + 7) % 7;
    const weeks = parts.ordinal - (parts.ordinal > 0 && ahead !== 0 ? 1 : 0);
    date.setUTCDate(date.getUTCDate() + ahead + 7 * weeks);
  }
  const moved = utc(
    date.getUTCFullYear() + relative.years,
    date.getUTCMonth() + relative.months,
    date.getUTCDate() + relative.days,
  );
  const shown = moved / 1_000 + hour * 3_600 + minute * 60 + second;
  const seconds = zones > 0 ? shown - parts.zone : secondsAt(own, shown);
  const total = nanoseconds + relative.nanoseconds;
  const carried = Math.floor(total / 1e9);
  return {
    seconds: seconds + relative.seconds + carried,
    nanoseconds: total - carried * 1e9,
  };
}

/** As `Date.UTC`, but years below 100 are themselves. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}
