import { type TimeZone, UTC } from "./time-zone.ts";

/** A moment: whole seconds since 1970, and nanoseconds. */
export interface Moment {
  readonly seconds: number;
  readonly nanoseconds?: number;
}

export const DAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;
export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const DAY = 86_400;

const COMPOUNDS: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

/** A field: a number with its width and padding, or a text. */
type Field = string | readonly [value: number, width: number, padding?: " "];

/** A time in a format of `date`, with its flags and widths: `%-d`, `%_H`, `%^a`, `%10Y`, `%:z`, `%3N`. */
export function formatTime(format: string, moment: Moment, zone: TimeZone = UTC): string {
  const facts = factsOf(moment, zone);
  return format.replace(
    /%([-_0+^#]*)(\d*)[EO]?(:{0,3})([A-Za-z%])/g,
    (whole, flags: string, width: string, colons: string, letter: string) => {
      if (colons !== "" && letter !== "z") return whole;
      const compound = COMPOUNDS[letter];
      if (compound !== undefined)
        return padded(formatTime(compound, moment, zone), flags, Number(width), " ");
      if (letter === "N") return fraction(moment, flags, width);
      if (letter === "z") return zoned(facts.offset, colons.length);
      const field = facts.fields[letter]?.();
      if (field === undefined) return whole;
      if (typeof field === "string")
        return padded(cased(field, letter, flags), flags, Number(width), " ");
      const [value, usual, padding = "0"] = field;
      const size = width === "" ? usual : Number(width);
      return numbered(value, flags, size, padding);
    },
  );
}

function factsOf(
  { seconds }: Moment,
  zone: TimeZone,
): { offset: number; fields: Readonly<Record<string, () => Field>> } {
  const offset = zone.offsetAt(seconds);
  const date = new Date((seconds + offset) * 1_000);
  const [year, month, weekday] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDay()];
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / (DAY * 1_000));
  const hour = date.getUTCHours();
  const half = hour < 12 ? "AM" : "PM";
  const week = isoWeek(date);
  return {
    offset,
    fields: {
      "%": () => "%",
      a: () => (DAYS[weekday] ?? "").slice(0, 3),
      A: () => DAYS[weekday] ?? "",
      b: () => (MONTHS[month] ?? "").slice(0, 3),
      B: () => MONTHS[month] ?? "",
      C: () => [Math.floor(year / 100), 2],
      d: () => [date.getUTCDate(), 2],
      e: () => [date.getUTCDate(), 2, " "],
      g: () => [week.year % 100, 2],
      G: () => [week.year, 4],
      h: () => (MONTHS[month] ?? "").slice(0, 3),
      H: () => [hour, 2],
      I: () => [hour % 12 || 12, 2],
      j: () => [dayOfYear + 1, 3],
      k: () => [hour, 2, " "],
      l: () => [hour % 12 || 12, 2, " "],
      m: () => [month + 1, 2],
      M: () => [date.getUTCMinutes(), 2],
      n: () => "\n",
      p: () => half,
      P: () => half.toLowerCase(),
      q: () => [Math.floor(month / 3) + 1, 1],
      s: () => [seconds, 1],
      S: () => [date.getUTCSeconds(), 2],
      t: () => "\t",
      u: () => [weekday || 7, 1],
      U: () => [Math.floor((dayOfYear + 7 - weekday) / 7), 2],
      V: () => [week.number, 2],
      w: () => [weekday, 1],
      W: () => [Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7), 2],
      y: () => [((year % 100) + 100) % 100, 2],
      Y: () => [year, 4],
      Z: () => zone.nameAt(seconds),
    },
  };
}

/** The week of ISO 8601, which belongs to the year of its Thursday. */
function isoWeek(date: Date): { year: number; number: number } {
  const thursday = new Date(date.getTime());
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const days = (thursday.getTime() - Date.UTC(year, 0, 1)) / (DAY * 1_000);
  return { year, number: Math.floor(days / 7) + 1 };
}

function cased(text: string, letter: string, flags: string): string {
  if (flags.includes("#")) return /[pZ]/.test(letter) ? text.toLowerCase() : text.toUpperCase();
  return flags.includes("^") ? text.toUpperCase() : text;
}

function padded(text: string, flags: string, width: number, padding: " " | "0"): string {
  const filler = flags.includes("0") ? "0" : padding;
  return flags.includes("-") ? text : text.padStart(width, filler);
}

function numbered(value: number, flags: string, width: number, padding: " " | "0"): string {
  const digits = String(Math.abs(value));
  const sign = value < 0 ? "-" : "";
  const flag = /[-_0+]/.exec(Array.from(flags).toReversed().join(""))?.[0];
  if (flag === "-") return sign + digits;
  const filler = flag === "_" ? " " : flag === undefined ? padding : "0";
  return filler === " "
    ? (sign + digits).padStart(width)
    : sign + digits.padStart(width - sign.length, "0");
}

/** Digits of the fraction of a second, nine or as many as the width. */
function fraction({ nanoseconds = 0 }: Moment, flags: string, width: string): string {
  const digits = String(nanoseconds).padStart(9, "0");
  if (width !== "") return digits.slice(0, Number(width)).padEnd(Number(width), "0");
  return flags.includes("-") ? digits.replace(/0+$/, "") || "0" : digits;
}

/** `+0130`, `+01:30`, `+01:30:00`, or as short as possible. */
function zoned(offset: number, colons: number): string {
  const size = Math.abs(offset);
  const [hours = "", minutes = "", seconds = ""] = [
    Math.floor(size / 3_600),
    Math.floor(size / 60) % 60,
    size % 60,
  ].map((part) => String(part).padStart(2, "0"));
  const sign = offset < 0 ? "-" : "+";
  if (colons === 0) return sign + hours + minutes;
  if (colons === 1) return `${sign}${hours}:${minutes}`;
  if (colons === 2) return `${sign}${hours}:${minutes}:${seconds}`;
  if (seconds !== "00") return `${sign}${hours}:${minutes}:${seconds}`;
  return minutes === "00" ? sign + hours : `${sign}${hours}:${minutes}`;
}
