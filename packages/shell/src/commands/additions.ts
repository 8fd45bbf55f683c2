import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../command.ts";
import { explain, parseArguments, readTextOperand } from "./arguments.ts";
import { permissionsOf } from "./file-words.ts";
import { compilePattern, loadRe2, translate } from "./search/pattern.ts";

type Printed = Required<ShellCommandResult>;

export function textOf({ stdout }: Pick<Printed, "stdout">): string {
  return typeof stdout === "string" ? stdout : decodeText(stdout);
}

/** Adds `-m` to the interpreter's own. */
export const mkdir: ShellCommand = {
  name: "mkdir",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "pvZ",
      valued: "m",
      long: { parents: "p", verbose: "v", mode: "m" },
    });
    const mode = options.get("m");
    const plain = [...options.keys()]
      .filter((name) => "pv".includes(name))
      .map((name) => `-${name}`);
    const result = await context.original(
      [...plain, "--", ...operands].filter((word) => word !== "--"),
    );
    if (mode === undefined || result.exitCode !== 0) return result;
    const changed = await context.run("chmod", [mode, ...operands]);
    return { ...result, stderr: result.stderr + changed.stderr, exitCode: changed.exitCode };
  },
};

/** Sets the time of files and makes those that are missing: `-c`, `-d`, `-r`, `-t`; there is only one time. */
export const touch: ShellCommand = {
  name: "touch",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "acmfh",
      valued: "drt",
      long: { date: "d", "no-create": "c", reference: "r", time: "time" },
    });
    if (operands.length === 0) throw new Error("missing file operand");
    const time = await timeOf(context, options);
    let stderr = "";
    for (const operand of operands) {
      const path = context.resolve(operand);
      try {
        if (!(await exists(context, path))) {
          if (options.has("c")) continue;
          await context.fs.writeFile(path, "");
        }
        await context.fs.utimes(path, time);
      } catch (error) {
        stderr += `touch: cannot touch '${operand}': ${explain(error)}\n`;
      }
    }
    return { stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

async function timeOf(
  context: ShellCommandContext,
  options: ReadonlyMap<string, string>,
): Promise<number> {
  const [text, reference, stamp] = [options.get("d"), options.get("r"), options.get("t")];
  if (reference !== undefined) {
    const stat = await context.fs.stat(context.resolve(reference)).catch((error: unknown) => {
      throw new Error(`failed to get attributes of '${reference}': ${explain(error)}`, {
        cause: error,
      });
    });
    return stat.mtimeMs;
  }
  if (stamp !== undefined) {
    const [, century = "", year = "", month, day, hour, minute, second = "0"] =
      /^(\d\d)?(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(stamp) ?? [];
    if (month === undefined) throw new Error(`invalid date format '${stamp}'`);
    const short = year === "" ? century : year;
    const full =
      year === ""
        ? short === ""
          ? new Date().getUTCFullYear()
          : Number(short) + (Number(short) < 69 ? 2000 : 1900)
        : Number(century + year);
    return Date.UTC(
      full,
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
  }
  if (text === undefined) return Date.now();
  const seconds = await context.run("date", ["-d", text, "+%s"]);
  if (seconds.exitCode !== 0) throw new Error(`invalid date format '${text}'`);
  return Number(textOf(seconds)) * 1000;
}

function exists({ fs }: ShellCommandContext, path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}

/** Tells with `-v` and `-c` what it was before, as GNU's does. */
export const chmod: ShellCommand = {
  name: "chmod",
  async run(args, context) {
    const isTelling = args.some(
      (arg) => /^-[Rfcv]*[vc]|^--(?:verbose|changes)$/.test(arg) && !/^-[rwx]/.test(arg),
    );
    if (!isTelling) return context.original(args);
    const words = args
      .filter((arg) => !/^--(?:verbose|changes)$/.test(arg))
      .map((arg) => (/^-[Rfcv]+$/.test(arg) ? arg.replace(/[vc]/g, "") : arg));
    const own = words.filter((arg) => arg !== "-");
    const files = own.filter((arg) => !arg.startsWith("-")).slice(1);
    const modeOf = async (file: string): Promise<string> => {
      const stat = await context.fs.stat(context.resolve(file)).catch(() => undefined);
      if (!stat) return "";
      return `${(stat.mode & 0o7777).toString(8).padStart(4, "0")} (${permissionsOf(stat).slice(1)})`;
    };
    const before = await Promise.all(files.map(modeOf));
    const result = await context.original(own);
    let stdout = "";
    for (const [at, file] of files.entries()) {
      const [was, is] = [before[at] ?? "", await modeOf(file)];
      if (is === "") continue;
      if (was !== is) stdout += `mode of '${file}' changed from ${was} to ${is}\n`;
      else if (args.some((arg) => arg.includes("v")))
        stdout += `mode of '${file}' retained as ${is}\n`;
    }
    return { ...result, stdout };
  },
};

const BLOCK = 4096;

/** Sizes of trees: `-a`, `-b`, `-c`, `-d`, `-h`, `-k`, `-m`, `-s`, `--apparent-size`, `--exclude` is not there. */
export const du: ShellCommand = {
  name: "du",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "abchkmsSx",
      valued: "dB",
      long: {
        all: "a",
        bytes: "b",
        total: "c",
        "max-depth": "d",
        "human-readable": "h",
        summarize: "s",
        "apparent-size": "apparent",
      },
    });
    const depth = options.has("s") ? 0 : Number(options.get("d") ?? Number.POSITIVE_INFINITY);
    const isApparent = options.has("b") || options.has("apparent");
    const show = (size: number): string => {
      if (options.has("h")) return human(size);
      return String(
        options.has("b") ? size : Math.ceil(size / (options.has("m") ? 1024 ** 2 : 1024)),
      );
    };
    let [stdout, stderr, total] = ["", "", 0];
    const measure = async (name: string, path: string, level: number): Promise<number> => {
      const stat = await context.fs.lstat(path);
      let size = isApparent ? stat.size : Math.ceil(stat.size / BLOCK) * BLOCK;
      if (stat.type === "directory") {
        size = BLOCK;
        const names = (await context.fs.readdir(path)).map((entry) => entry.name);
        for (const child of names.sort()) {
          size += await measure(
            `${name.replace(/\/$/, "")}/${child}`,
            `${path}/${child}`,
            level + 1,
          );
        }
      }
      const isShown = stat.type === "directory" || options.has("a") || level === 0;
      if (isShown && level <= depth) stdout += `${show(size)}\t${name}\n`;
      return size;
    };
    for (const operand of operands.length > 0 ? operands : ["."]) {
      try {
        total += await measure(operand, context.resolve(operand), 0);
      } catch (error) {
        stderr += `du: cannot access '${operand}': ${explain(error)}\n`;
      }
    }
    if (options.has("c")) stdout += `${show(total)}\ttotal\n`;
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

function human(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1024 && unit < 4) [value, unit] = [value / 1024, unit + 1];
  if (unit === 0) return String(size);
  return `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${"KMGT"[unit - 1]}`;
}

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

/** A date with an offset in words, as seconds since the epoch; undefined when there is no offset in it. */
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

/** Adds groups, and patterns that begin anywhere, to the interpreter's `:`. */
export const expr: ShellCommand = {
  name: "expr",
  async run(args, context) {
    const [text, colon, pattern] = args;
    if (args.length !== 3 || colon !== ":" || text === undefined || pattern === undefined)
      return context.original(args);
    const hasGroup = /(?<!\\)(?:\\\\)*\\\(/.test(pattern);
    if (hasGroup) {
      const { RE2JS } = await loadRe2();
      const matcher = RE2JS.compile(`^(?:${translate(pattern, false)})`).matcher(text);
      const group = matcher.find() ? (matcher.group(1) ?? "") : "";
      return { stdout: `${group}\n`, exitCode: group === "" || group === "0" ? 1 : 0 };
    }
    const compiled = await compilePattern([`^${pattern.replace(/^\^/, "")}`], { dialect: "basic" });
    const match = compiled.find(text, 0);
    const length = match ? match.end - match.start : 0;
    return { stdout: `${length}\n`, exitCode: length === 0 ? 1 : 0 };
  },
};

/** Fills columns by tabs without `-t`, as the program does; tables are the interpreter's own. */
export const column: ShellCommand = {
  name: "column",
  async run(args, context) {
    if (args.some((arg) => /^-\w*[tJ]|^--table/.test(arg))) return context.original(args);
    const { options, operands } = parseArguments(args, {
      flags: "xe",
      valued: "cs",
      long: { columns: "c", "output-width": "c", fillrows: "x" },
    });
    const lines: string[] = [];
    for (const operand of operands.length > 0 ? operands : ["-"]) {
      lines.push(
        ...(await readTextOperand(context, operand))
          .split("\n")
          .filter((line) => line.trim() !== ""),
      );
    }
    const width = (Math.floor(Math.max(0, ...lines.map(({ length }) => length)) / 8) + 1) * 8;
    const count = Math.max(1, Math.floor(Number(options.get("c") ?? 80) / width));
    const rows = Math.ceil(lines.length / count);
    let stdout = "";
    for (let row = 0; row < rows; row++) {
      const cells = Array.from(
        { length: count },
        (_, at) => lines[options.has("x") ? row * count + at : row + at * rows],
      ).filter((cell) => cell !== undefined);
      cells.forEach((cell, at) => {
        stdout +=
          cell + (at < cells.length - 1 ? "\t".repeat(Math.ceil((width - cell.length) / 8)) : "");
      });
      stdout += "\n";
    }
    return { stdout };
  },
};

/** Adds bytes above 127 written as `\xff` or `\377`; everything else is the interpreter's own. */
export const printf: ShellCommand = {
  name: "printf",
  async run(args, { original }) {
    const pattern = /\\x([89a-f][\da-f])|\\([23][0-7]{2})/gi;
    const [format = "", ...rest] = args;
    if (format.startsWith("-") || ![format, ...rest].some((arg) => arg.search(pattern) !== -1)) {
      return original(args);
    }
    // Characters that no script writes stand for the bytes until the text is encoded.
    const first = 0xf700;
    const marked = (text: string): string =>
      text.replace(pattern, (_whole, hex?: string, octal?: string) =>
        String.fromCharCode(
          first + Number.parseInt(hex ?? octal ?? "0", hex === undefined ? 8 : 16),
        ),
      );
    const isEscaped = /%b/.test(format);
    const result = await original([
      marked(format),
      ...rest.map((arg) => (isEscaped ? marked(arg) : arg)),
    ]);
    const bytes: number[] = [];
    for (const character of textOf(result)) {
      const code = character.codePointAt(0) ?? 0;
      if (code >= first && code < first + 256) bytes.push(code - first);
      else bytes.push(...new TextEncoder().encode(character));
    }
    return { ...result, stdout: Uint8Array.from(bytes) };
  },
};

/** The mode of new files is not the shell's here; asking for the usual one is fine. */
export const umask: ShellCommand = {
  name: "umask",
  run(args) {
    const [mode] = args.filter((arg) => !arg.startsWith("-"));
    if (mode === undefined) return { stdout: args.includes("-S") ? "u=rwx,g=rx,o=rx\n" : "0022\n" };
    if (/^0*22$/.test(mode)) return {};
    throw new Error("new files always get the modes of umask 022 here: use chmod");
  },
};

/** Adds octal escapes (`\\0`, `\\012`) to the interpreter's own. */
export const tr: ShellCommand = {
  name: "tr",
  run: (args, { original }) =>
    original(
      args.map((arg) =>
        arg.replace(/\\\\|\\([0-7]{1,3})/g, (whole, digits?: string) =>
          digits === undefined ? whole : String.fromCharCode(Number.parseInt(digits, 8)),
        ),
      ),
    ),
};
