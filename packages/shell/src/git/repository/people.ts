import { fatal } from "../failure.ts";
import { configured, type Repository } from "./repository.ts";
import type { Person } from "./revisions.ts";

/**
 * The author or committer with the current time: from the environment, then the configuration, then the shell's
 * options.
 */
export async function identity(repo: Repository, role: "AUTHOR" | "COMMITTER"): Promise<Person> {
  const { env } = repo.context;
  const { author } = repo.options;
  const name = env[`GIT_${role}_NAME`] ?? (await configured(repo, "user.name")) ?? author?.name;
  const email = env[`GIT_${role}_EMAIL`] ?? (await configured(repo, "user.email")) ?? author?.email;
  if (name === undefined || email === undefined) throw unknownPerson(role);
  return { name, email, ...parseDate(env[`GIT_${role}_DATE`]) };
}

function unknownPerson(role: "AUTHOR" | "COMMITTER"): Error {
  const who = role === "AUTHOR" ? "Author" : "Committer";
  return fatal(
    `unable to auto-detect email address\n\n*** Please tell me who you are (${who}).\n\nRun\n\n` +
      '  git config user.email "you@example.com"\n  git config user.name "Your Name"\n',
  );
}

/** Parses `1700000000 +0100`, `@1700000000`, or a format of `Date`; now when missing. */
export function parseDate(text: string | undefined): Pick<Person, "timestamp" | "timezoneOffset"> {
  if (text === undefined || text === "") {
    const now = new Date();
    return { timestamp: Math.floor(now.getTime() / 1000), timezoneOffset: now.getTimezoneOffset() };
  }
  const raw = /^@?(\d+)(?: ([+-])(\d\d)(\d\d))?$/.exec(text);
  if (raw) return { timestamp: Number(raw[1]), timezoneOffset: offsetOf(raw.slice(2)) };
  const zone = /([+-])(\d\d):?(\d\d)$/.exec(text);
  const hasZone = zone !== null && /\d[T ]\d/.test(text);
  const time = Date.parse(hasZone || text.endsWith("Z") ? text : `${text.replace(" ", "T")}Z`);
  const milliseconds = Number.isNaN(time) ? Date.parse(text) : time;
  if (Number.isNaN(milliseconds)) throw fatal(`invalid date format: ${text}`);
  return {
    timestamp: Math.floor(milliseconds / 1000),
    timezoneOffset: hasZone ? offsetOf(zone.slice(1)) : 0,
  };
}

/** Minutes west of Greenwich, as in `Date`. */
function offsetOf([sign, hours, minutes]: readonly (string | undefined)[]): number {
  const east = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === "-" || east === 0 ? east : -east;
}

export function formatZone(timezoneOffset: number): string {
  const minutes = Math.abs(timezoneOffset);
  const digits =
    `${Math.floor(minutes / 60)}`.padStart(2, "0") + `${minutes % 60}`.padStart(2, "0");
  return (timezoneOffset > 0 ? "-" : "+") + digits;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number): string => String(value).padStart(2, "0");

/** Formats a date for `--date=style`, in the person's own time zone. */
export function formatDate({ timestamp, timezoneOffset }: Person, style = "default"): string {
  const at = new Date((timestamp - timezoneOffset * 60) * 1000);
  const [year, month, day] = [at.getUTCFullYear(), two(at.getUTCMonth() + 1), two(at.getUTCDate())];
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  const zone = formatZone(timezoneOffset);
  const [weekday, monthName] = [DAYS[at.getUTCDay()], MONTHS[at.getUTCMonth()]];
  const colon = `${zone.slice(0, 3)}:${zone.slice(3)}`;
  switch (style.replace(/-local$/, "")) {
    case "short":
      return `${year}-${month}-${day}`;
    case "iso":
    case "iso8601":
      return `${year}-${month}-${day} ${time} ${zone}`;
    case "iso-strict":
    case "iso8601-strict":
      return `${year}-${month}-${day}T${time}${timezoneOffset === 0 ? "Z" : colon}`;
    case "rfc":
    case "rfc2822":
      return `${weekday}, ${at.getUTCDate()} ${monthName} ${year} ${time} ${zone}`;
    case "unix":
      return String(timestamp);
    case "raw":
      return `${timestamp} ${zone}`;
    case "relative":
      return relativeDate(Math.floor(Date.now() / 1000) - timestamp);
    case "default":
      return `${weekday} ${monthName} ${at.getUTCDate()} ${time} ${year} ${zone}`;
  }
  if (!style.startsWith("format:")) throw fatal(`unknown date format ${style}`);
  const parts: Record<string, string> = {
    Y: String(year),
    m: month,
    d: day,
    H: two(at.getUTCHours()),
    M: two(at.getUTCMinutes()),
    S: two(at.getUTCSeconds()),
    F: `${year}-${month}-${day}`,
    T: time,
    a: weekday ?? "",
    b: monthName ?? "",
    y: two(year % 100),
    e: String(at.getUTCDate()).padStart(2),
    z: zone,
    s: String(timestamp),
    "%": "%",
  };
  return style.slice(7).replace(/%(.)/g, (whole, letter: string) => parts[letter] ?? whole);
}

function relativeDate(seconds: number): string {
  const said = (count: number, unit: string): string =>
    `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  if (seconds < 0) return "in the future";
  if (seconds < 90) return said(seconds, "second");
  const minutes = Math.floor((seconds + 30) / 60);
  if (minutes < 90) return said(minutes, "minute");
  const hours = Math.floor((minutes + 30) / 60);
  if (hours < 36) return said(hours, "hour");
  const days = Math.floor((hours + 12) / 24);
  if (days < 14) return said(days, "day");
  if (days < 70) return said(Math.floor((days + 3) / 7), "week");
  if (days < 365) return said(Math.floor((days + 15) / 30), "month");
  const months = Math.floor((days * 12 * 2 + 365) / (365 * 2));
  if (days >= 1825 || months % 12 === 0) return said(Math.floor((days + 183) / 365), "year");
  const [years, rest] = [Math.floor(months / 12), months % 12];
  return `${years} year${years === 1 ? "" : "s"}, ${said(rest, "month")}`;
}
