/** `850 ms`, `4.2 s`, `3 min 10 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `640 B`, `12 kB`, `3.4 MB`, `10.7 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `950`, `1.2k`, `200k`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const thousands = count / 1000;
  return `${thousands < 100 ? Number(thousands.toFixed(1)) : Math.round(thousands)}k`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A short relative time for lists: `now`, `5 min`, `3 h`, `Tue`, `4 Nov`. */
export function formatWhen(time: number, now = Date.now()): string {
  const age = now - time;
  if (age < minuteMs) return "now";
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  if (age < dayMs) return `${Math.floor(age / hourMs)} h`;
  const date = new Date(time);
  return age < 6 * dayMs
    ? date.toLocaleDateString(undefined, { weekday: "short" })
    : date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** A path relative to the workspace. */
export function shortPath(path: string, cwd = "/workspace"): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
