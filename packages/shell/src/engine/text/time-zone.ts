/** A zone, in seconds east of Greenwich. */
export interface TimeZone {
  offsetAt(seconds: number): number;
  nameAt(seconds: number): string;
}

const HOUR = 3_600;

export const UTC: TimeZone = fixedZone(0, "UTC");

function fixedZone(offset: number, name: string): TimeZone {
  return { offsetAt: () => offset, nameAt: () => name };
}

/** The zone of a value of `TZ`: a name such as `Europe/Paris`, or a fixed offset such as `UTC+3`, which is west. */
export function timeZone(name: string | undefined): TimeZone {
  const plain = (name ?? "").replace(/^:/, "");
  if (/^(?:|UTC0?|GMT0?|Etc\/UTC|Z)$/.test(plain)) return fixedZone(0, plain.slice(0, 3) || "UTC");
  const [, letters, hours, minutes = "0"] =
    /^([A-Za-z]{3,}|<[^>]+>)([-+]?\d{1,2})(?::(\d\d))?$/.exec(plain) ?? [];
  if (letters !== undefined && hours !== undefined) {
    const sign = hours.startsWith("-") ? 1 : -1;
    const size = Math.abs(Number(hours)) * HOUR + Number(minutes) * 60;
    return fixedZone(sign * size, letters.replace(/^<|>$/g, ""));
  }
  try {
    return namedZone(plain);
  } catch {
    return UTC;
  }
}

/** @throws {RangeError} for an unknown name */
function namedZone(timeZone: string): TimeZone {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    timeZoneName: "short",
  });
  const partsAt = (seconds: number): Map<string, string> =>
    new Map(clock.formatToParts(seconds * 1_000).map(({ type, value }) => [type, value]));
  const offsetAt = (seconds: number): number => {
    const parts = partsAt(seconds);
    const part = (name: string): number => Number(parts.get(name));
    const shown = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return shown / 1_000 - Math.floor(seconds);
  };
  return {
    offsetAt,
    nameAt(seconds) {
      const name = partsAt(seconds).get("timeZoneName") ?? "";
      if (!/^GMT[-+]/.test(name)) return name;
      const winter = offsetAt(Date.UTC(new Date(seconds * 1_000).getUTCFullYear(), 0, 1) / 1_000);
      const isSummer = offsetAt(seconds) !== winter;
      // The zone may have another name: `Portugal` for `Europe/Lisbon`.
      const names = [timeZone, clock.resolvedOptions().timeZone];
      const known = names.map((zone) => usualName(zone, winter / HOUR, isSummer));
      return known.find((usual) => usual !== undefined) ?? numeric(name);
    },
  };
}

const ASIAN: Readonly<Record<string, string>> = {
  "Asia/Hong_Kong": "HKT",
  "Asia/Jakarta": "WIB",
  "Asia/Kolkata": "IST",
  "Asia/Manila": "PST",
  "Asia/Seoul": "KST",
  "Asia/Shanghai": "CST",
  "Asia/Taipei": "CST",
  "Asia/Tokyo": "JST",
};

/** The abbreviation that systems use where the host only knows an offset. */
function usualName(zone: string, winter: number, isSummer: boolean): string | undefined {
  if (!zone.startsWith("Europe/")) return ASIAN[zone];
  const isBritish = zone === "Europe/London" || zone === "Europe/Belfast";
  if (winter === 0) return isSummer ? (isBritish ? "BST" : "WEST") : isBritish ? "GMT" : "WET";
  if (winter === 1) return isSummer ? "CEST" : "CET";
  if (winter === 2) return isSummer ? "EEST" : "EET";
  return zone === "Europe/Moscow" ? "MSK" : undefined;
}

/** `GMT+5:30` as `+0530`. */
function numeric(name: string): string {
  const [, sign = "+", hours = "0", minutes = ""] = /^GMT([-+])(\d+)(?::(\d+))?$/.exec(name) ?? [];
  return `${sign}${hours.padStart(2, "0")}${minutes}`;
}

/** The time at which a zone's clock shows the given one, itself as seconds of UTC. */
export function secondsAt(zone: TimeZone, shown: number): number {
  const guess = shown - zone.offsetAt(shown);
  return shown - zone.offsetAt(guess);
}
