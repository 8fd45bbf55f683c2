import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain } from "../arguments.ts";
import { textOf } from "../output-text.ts";

const units: Record<string, number> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
};

/** Adds `-r`, `-I` with its precisions, and dates in words (`2 days ago`, `2024-01-31 +1 month`, `yesterday`). */
export const date: ShellCommand = {
  name: "date",
  async run(args, context) {
    const words: string[] = [];
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? "";
      const precision = /^(?:-I|--iso-8601=?)(date|hours|minutes|seconds|ns)?$/.exec(arg);
      const attached = /^(?:--date=|-d)(.+)$/.exec(arg);
      const reference = /^(?:--reference=|-r)(.*)$/.exec(arg);
      if (precision && (precision[1] ?? "date") !== "date") {
        const format = {
          hours: "%Y-%m-%dT%H",
          minutes: "%Y-%m-%dT%H:%M",
          seconds: "%Y-%m-%dT%H:%M:%S",
          ns: "%Y-%m-%dT%H:%M:%S,%N",
        };
        words.push(
          `+${Object.entries(format).find(([name]) => name === precision[1])?.[1] ?? ""}+00:00`,
        );
      } else if (precision) words.push("+%Y-%m-%d");
      else if (reference) {
        const path = reference[1] || args[(at += 1)] || "";
        const stat = await context.fs.stat(context.resolve(path)).catch((error: unknown) => {
          throw new Error(`${path}: ${explain(error)}`, { cause: error });
        });
        words.push("-d", `@${Math.floor(stat.mtimeMs / 1000)}`);
      } else if (attached || arg === "-d" || arg === "--date") {
        const text = attached?.[1] ?? args[(at += 1)] ?? "";
        words.push("-d", (await relative(context, text)) ?? text);
      } else words.push(arg);
    }
    return context.original(words);
  },
};

/** Parses a date with a relative offset to seconds since the epoch; undefined when it has no offset. */
async function relative(
  { original }: ShellCommandContext,
  text: string,
): Promise<string | undefined> {
  let rest = ` ${text.toLowerCase().replace(/\b(\d{4}-\d\d-\d\d)t(?=\d)/, "$1T")} `;
  const parts: { amount: number; unit: string }[] = [];
  rest = rest.replace(/\s(yesterday|tomorrow|today|now)(?=\s)/g, (_whole, word: string) => {
    parts.push({ amount: word === "yesterday" ? -1 : word === "tomorrow" ? 1 : 0, unit: "day" });
    return "";
  });
  rest = rest.replace(
    /\s([+-]?)\s?(\d+|next|last|a|an)?\s?(sec|second|min|minute|hour|day|week|fortnight|month|year)s?(\s+ago)?(?=\s)/g,
    (_whole, sign: string, count: string | undefined, unit: string, ago: string | undefined) => {
      const size = count === "last" ? -1 : /^\d+$/.test(count ?? "") ? Number(count) : 1;
      parts.push({ amount: size * (sign === "-" ? -1 : 1) * (ago ? -1 : 1), unit });
      return "";
    },
  );
  if (parts.length === 0) return undefined;
  const base = rest.trim();
  const start =
    base === ""
      ? { stdout: String(Math.floor(Date.now() / 1000)), exitCode: 0 }
      : await original(["-u", "-d", base.toUpperCase().replace(" UTC", "Z"), "+%s"]);
  if (start.exitCode !== 0) return undefined;
  const moment = new Date(Number(textOf(start)) * 1000);
  for (const { amount, unit } of parts) {
    if (unit === "month") moment.setUTCMonth(moment.getUTCMonth() + amount);
    else if (unit === "year") moment.setUTCFullYear(moment.getUTCFullYear() + amount);
    else moment.setTime(moment.getTime() + amount * (units[unit] ?? 0) * 1000);
  }
  return `@${Math.floor(moment.getTime() / 1000)}`;
}
