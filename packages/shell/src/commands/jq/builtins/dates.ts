import { JqError } from "../machine.ts";
import { isArray, type Value } from "../values.ts";
import { parseTime } from "./time-parse.ts";
import { dayOfYear, formatTime } from "./time-format.ts";
import type { NativeValues } from "./native.ts";

const LONGEST_MS = 8.64e15;

/** Broken-down time as jq writes it: month from 0, seconds with their fraction, weekday, day of the year from 0. */
function brokenDown(seconds: number): Value[] {
  const whole = Math.floor(seconds);
  const date = new Date(whole * 1000);
  if (!(Math.abs(whole * 1000) <= LONGEST_MS))
    throw new JqError("error converting number of seconds since epoch to datetime");
  const year = date.getUTCFullYear();
  return [
    year,
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + (seconds - whole),
    date.getUTCDay(),
    dayOfYear(date),
  ];
}

function seconds(value: Value, name: string): number {
  if (typeof value !== "number") throw new JqError(`${name}() requires numeric inputs`);
  return value;
}

/** The date of a broken-down time. */
function dateOf(value: Value, message: string): Date {
  if (!isArray(value) || value.some((part) => typeof part !== "number")) throw new JqError(message);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = value.map((part) =>
    Math.floor(Number(part)),
  );
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second);
  return date;
}

function format(input: Value, pattern: Value, name: string): string {
  const time = typeof input === "number" ? brokenDown(input) : input;
  const date = dateOf(time, `${name} requires parsed datetime inputs`);
  if (typeof pattern !== "string") throw new JqError(`${name} requires a string format`);
  return formatTime(date, pattern);
}

export const dateValues: NativeValues = {
  "now/0": () => Date.now() / 1000,
  "gmtime/0": (_, input) => brokenDown(seconds(input, "gmtime")),
  "localtime/0": (_, input) => brokenDown(seconds(input, "localtime")),
  "mktime/0"(_, input) {
    if (!isArray(input)) throw new JqError("mktime requires array inputs");
    const date = dateOf(input, "mktime requires parsed datetime inputs");
    if (Number.isNaN(date.getTime())) throw new JqError("invalid gmtime representation");
    return Math.floor(date.getTime() / 1000);
  },
  "strftime/1": (_, input, pattern = null) => format(input, pattern, "strftime/1"),
  "strflocaltime/1": (_, input, pattern = null) => format(input, pattern, "strflocaltime/1"),
  "strptime/1"(_, input, pattern) {
    if (typeof input !== "string" || typeof pattern !== "string")
      throw new JqError("strptime/1 requires string inputs and arguments");
    return parseTime(input, pattern);
  },
};
