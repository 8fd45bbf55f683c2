import type { FileStat, FileType } from "../../../ports/file-system.ts";
import type { ShellCommand, ShellCommandContext } from "../command.ts";
import { explain, parseArguments } from "./arguments.ts";

type Options = ReadonlyMap<string, string>;

interface Item {
  name: string;
  stat: FileStat;
  /** Where a symlink leads, in a long listing. */
  target?: string;
}

/** Lists as GNU `ls` does into a pipe: one name per line, sorted by code units, owners made up. */
export const ls: ShellCommand = {
  name: "ls",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "aAdFhlRrSt1CcnopQUv",
      long: {
        all: "a",
        "almost-all": "A",
        directory: "d",
        classify: "F",
        "human-readable": "h",
        recursive: "R",
        reverse: "r",
        color: "C",
        "group-directories-first": "group",
      },
    });
    const files: Item[] = [];
    const directories: Item[] = [];
    let [stderr, exitCode] = ["", 0];
    for (const name of operands.length > 0 ? operands : ["."]) {
      try {
        const item = await describe(context, name, !options.has("d") && !options.has("l"));
        const isListed = item.stat.type === "directory" && !options.has("d");
        (isListed ? directories : files).push(item);
      } catch (error) {
        stderr += `ls: cannot access '${name}': ${explain(error)}\n`;
        exitCode = 2;
      }
    }
    const parts: string[] = [];
    if (files.length > 0) parts.push(format(sort(files, options), options));
    const isTitled = operands.length > 1 || options.has("R");
    for (const { name } of sort(directories, options)) {
      await list(context, name, options, isTitled, parts);
    }
    return { stdout: parts.join("\n"), stderr, exitCode };
  },
};

/** An operand that is a link to a directory is listed as the directory, except in a long listing. */
async function describe(
  { fs, resolve }: ShellCommandContext,
  name: string,
  isFollowed: boolean,
): Promise<Item> {
  const path = resolve(name);
  const stat = await fs.lstat(path);
  if (stat.type !== "symlink") return { name, stat };
  if (isFollowed || name.endsWith("/")) {
    const followed = await fs.stat(path).catch(() => stat);
    if (followed.type === "directory") return { name, stat: followed };
  }
  return { name, stat, target: await fs.readlink(path) };
}

async function list(
  context: ShellCommandContext,
  directory: string,
  options: Options,
  isTitled: boolean,
  parts: string[],
): Promise<void> {
  if (context.signal.aborted) return;
  const isHiddenShown = options.has("a") || options.has("A");
  const entries = await context.fs.readdir(context.resolve(directory));
  const names = entries.map(({ name }) => name).filter((name) => isHiddenShown || name[0] !== ".");
  const prefix = directory.endsWith("/") ? directory : `${directory}/`;
  const items = await Promise.all(
    [...(options.has("a") ? [".", ".."] : []), ...names].map(async (name) => ({
      ...(await describe(context, prefix + name, false)),
      name,
    })),
  );
  const sorted = sort(items, options);
  const title = isTitled ? `${directory}:\n` : "";
  const total = options.has("l") ? `total ${Math.ceil(sizeOf(items) / 1024)}\n` : "";
  parts.push(title + total + format(sorted, options));
  if (!options.has("R")) return;
  for (const { name, stat } of sorted) {
    if (stat.type !== "directory" || name === "." || name === "..") continue;
    await list(context, prefix + name, options, true, parts);
  }
}

function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, { stat }) => sum + stat.size, 0);
}

function sort(items: readonly Item[], options: Options): Item[] {
  const byName = (one: Item, other: Item): number => (one.name < other.name ? -1 : 1);
  const sorted = items.toSorted((one, other) => {
    if (options.has("S")) return other.stat.size - one.stat.size || byName(one, other);
    if (options.has("t")) return other.stat.mtimeMs - one.stat.mtimeMs || byName(one, other);
    return options.has("U") ? 0 : byName(one, other);
  });
  if (options.has("r")) sorted.reverse();
  return sorted;
}

function format(items: readonly Item[], options: Options): string {
  const named = items.map((item) => item.name + (options.has("F") ? suffix(item.stat) : ""));
  if (!["l", "n", "o"].some((letter) => options.has(letter))) {
    return named.map((name) => `${name}\n`).join("");
  }
  const sizes = items.map(({ stat }) => (options.has("h") ? human(stat.size) : String(stat.size)));
  const width = Math.max(...sizes.map(({ length }) => length), 1);
  return items
    .map(({ stat, target }, at) => {
      const size = (sizes[at] ?? "").padStart(width);
      const link = target === undefined ? "" : ` -> ${target}`;
      const owner = options.has("n") ? "1000 1000" : "user user";
      return `${permissions(stat)} 1 ${owner} ${size} ${time(stat.mtimeMs)} ${named[at]}${link}\n`;
    })
    .join("");
}

const letters: Record<FileType, string> = { file: "-", directory: "d", symlink: "l" };

function permissions({ type, mode }: FileStat): string {
  const bits = Array.from("rwxrwxrwx", (letter, at) => (mode & (0o400 >> at) ? letter : "-"));
  return letters[type] + bits.join("");
}

function suffix({ type, mode }: FileStat): string {
  if (type === "directory") return "/";
  if (type === "symlink") return "@";
  return mode & 0o111 ? "*" : "";
}

function human(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1024 && unit < 4) [value, unit] = [value / 1024, unit + 1];
  if (unit === 0) return String(size);
  const rounded = value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value);
  return `${value < 10 ? rounded.toFixed(1) : rounded}${"KMGT"[unit - 1]}`;
}

function time(mtimeMs: number): string {
  const date = new Date(mtimeMs);
  const month = date.toLocaleString("en", { month: "short", timeZone: "UTC" });
  const day = String(date.getUTCDate()).padStart(2);
  const halfYear = 182 * 24 * 60 * 60 * 1000;
  const isRecent = Math.abs(Date.now() - mtimeMs) < halfYear;
  const last = isRecent ? date.toISOString().slice(11, 16) : ` ${date.getUTCFullYear()}`;
  return `${month} ${day} ${last}`;
}
