const DAY_MS = 86_400_000;

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
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
];

export { DAYS, MONTHS };

/** The day of the year, from 0. */
export function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Year and week of ISO 8601. */
function isoWeek(date: Date): [year: number, week: number] {
  const weekday = (date.getUTCDay() + 6) % 7;
  const thursday = new Date(date.getTime() + (3 - weekday) * 86_400_000);
  return [thursday.getUTCFullYear(), Math.floor(dayOfYear(thursday) / 7) + 1];
}

const fields: Readonly<Record<string, (date: Date) => string>> = {
  A: (date) => DAYS[date.getUTCDay()] ?? "",
  a: (date) => (DAYS[date.getUTCDay()] ?? "").slice(0, 3),
  B: (date) => MONTHS[date.getUTCMonth()] ?? "",
  b: (date) => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
  h: (date) => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
  C: (date) => two(Math.floor(date.getUTCFullYear() / 100)),
  d: (date) => two(date.getUTCDate()),
  e: (date) => String(date.getUTCDate()).padStart(2),
  G: (date) => String(isoWeek(date)[0]),
  g: (date) => two(isoWeek(date)[0] % 100),
  H: (date) => two(date.getUTCHours()),
  I: (date) => two(date.getUTCHours() % 12 || 12),
  j: (date) => String(dayOfYear(date) + 1).padStart(3, "0"),
  k: (date) => String(date.getUTCHours()).padStart(2),
  l: (date) => String(date.getUTCHours() % 12 || 12).padStart(2),
  M: (date) => two(date.getUTCMinutes()),
  m: (date) => two(date.getUTCMonth() + 1),
  n: () => "\n",
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  P: (date) => (date.getUTCHours() < 12 ? "am" : "pm"),
  S: (date) => two(date.getUTCSeconds()),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  t: () => "\t",
  U: (date) => two(Math.floor((dayOfYear(date) + 7 - date.getUTCDay()) / 7)),
  u: (date) => String(date.getUTCDay() || 7),
  V: (date) => two(isoWeek(date)[1]),
  W: (date) => two(Math.floor((dayOfYear(date) + 7 - ((date.getUTCDay() + 6) % 7)) / 7)),
  w: (date) => String(date.getUTCDay()),
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => two(((date.getUTCFullYear() % 100) + 100) % 100),
  Z: () => "UTC",
  z: () => "+0000",
  "%": () => "%",
};

const composed: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  x: "%m/%d/%y",
};

/** Writes a date in UTC as strftime does. */
export function formatTime(date: Date, pattern: string): string {
  return pattern.replace(/%[EO]?([A-Za-z%])/g, (whole, letter: string) => {
    const parts = composed[letter];
    return parts === undefined ? (fields[letter]?.(date) ?? whole) : formatTime(date, parts);
  });
}

/** The pattern that a letter stands for, if it stands for several. */
export function composedOf(letter: string): string | undefined {
  return letter === "c" ? "%a %b %e %H:%M:%S %Y" : composed[letter];
}
