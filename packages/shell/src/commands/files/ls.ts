import type { FileStat } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";
import { compareNatural } from "../text/natural-order.ts";
import { inodeOf } from "./stat.ts";
import { greatest } from "../../greatest.ts";

type Options = ReadonlyMap<string, string>;

interface Item {
  name: string;
  path: string;
  stat: FileStat;
  /** The target of a symlink, in a long listing. */
  target?: string;
}

/** Lists as GNU `ls` does into a pipe: one name per line, sorted by code units, owners made up. */
export const ls: ShellCommand = {
  name: "ls",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "aAbBcCdFghHiklLmnNopqQrRsStuUvxXZ1G",
      valued: "wIT",
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
        size: "s",
        inode: "i",
        "full-time": "full-time",
        "quote-name": "Q",
        sort: "sort",
        time: "time",
        "file-type": "F",
        "indicator-style": "indicator-style",
        "time-style": "time-style",
        "no-group": "G",
        "numeric-uid-gid": "n",
        ignore: "I",
      },
    });
    const files: Item[] = [];
    const directories: Item[] = [];
    let [stderr, exitCode] = ["", 0];
    for (const name of operands.length > 0 ? operands : ["."]) {
      try {
        const item = await describe(context, name, !options.has("d") && !isLong(options));
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

/** Describes an operand: a link to a directory is listed as the directory, except in a long listing. */
async function describe(
  { fs, resolve }: ShellCommandContext,
  name: string,
  isFollowed: boolean,
): Promise<Item> {
  const path = resolve(name);
  const stat = await fs.lstat(path);
  if (stat.type !== "symlink") return { name, path, stat };
  if (isFollowed || name.endsWith("/")) {
    const followed = await fs.stat(path).catch(() => stat);
    if (followed.type === "directory") return { name, path, stat: followed };
  }
  return { name, path, stat, target: await fs.readlink(path) };
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
  const isCounted = isLong(options) || options.has("s");
  const total = isCounted ? `total ${sizeOf(items)}\n` : "";
  parts.push(title + total + format(sorted, options));
  if (!options.has("R")) return;
  for (const { name, stat } of sorted) {
    if (stat.type !== "directory" || name === "." || name === "..") continue;
    await list(context, prefix + name, options, true, parts);
  }
}

/** Kilobytes in blocks of 4 kB; directories and links take none. */
function blocksOf({ stat }: Item): number {
  return stat.type === "file" ? Math.ceil(stat.size / 4096) * 4 : 0;
}

function sizeOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + blocksOf(item), 0);
}

function isLong(options: Options): boolean {
  return ["l", "n", "o", "g", "full-time"].some((letter) => options.has(letter));
}

function sort(items: readonly Item[], options: Options): Item[] {
  const byName = (one: Item, other: Item): number => (one.name < other.name ? -1 : 1);
  const sorted = items.toSorted((one, other) => {
    if (options.has("X") || options.get("sort") === "extension") {
      const [end, otherEnd] = [extensionOf(one.name), extensionOf(other.name)];
      return end < otherEnd ? -1 : end > otherEnd ? 1 : byName(one, other);
    }
    if (options.has("v")) return compareNatural(one.name, other.name);
    if (options.has("S") || options.get("sort") === "size")
      return other.stat.size - one.stat.size || byName(one, other);
    if (options.has("t") || options.get("sort") === "time")
      return other.stat.mtimeMs - one.stat.mtimeMs || byName(one, other);
    return options.has("U") ? 0 : byName(one, other);
  });
  if (options.has("r")) sorted.reverse();
  return sorted;
}

function extensionOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at === -1 ? "" : name.slice(at);
}

function shownName({ name, path, stat }: Item, options: Options): string {
  const inode = options.has("i") ? `${inodeOf(path)} ` : "";
  const quoted = options.has("Q") ? JSON.stringify(name) : name;
  if (options.has("F")) return inode + quoted + suffix(stat);
  return inode + quoted + (options.has("p") && stat.type === "directory" ? "/" : "");
}

function format(items: readonly Item[], options: Options): string {
  const blocks = items.map((item) => String(blocksOf(item)));
  const blockWidth = greatest(blocks.map(({ length }) => length));
  const named = items.map((item, at) => {
    const size = options.has("s") ? `${(blocks[at] ?? "").padStart(blockWidth)} ` : "";
    return size + shownName(item, options);
  });
  if (!isLong(options)) {
    if (options.has("m")) return commaSeparated(named);
    if (options.has("x") || (options.has("C") && !options.has("1"))) {
      return inColumns(named, Number(options.get("w") ?? 80), options.has("x"));
    }
    return named.map((name) => `${name}\n`).join("");
  }
  const sizes = items.map(({ stat }) => (options.has("h") ? human(stat.size) : String(stat.size)));
  const width = sizes.reduce((widest, { length }) => Math.max(widest, length), 1);
  return items
    .map(({ stat, target }, at) => {
      const size = (sizes[at] ?? "").padStart(width);
      const link = target === undefined ? "" : ` -> ${target}`;
      const user = options.has("n") ? "1000" : "user";
      const hasGroup = !options.has("o") && !options.has("G");
      const owner = [...(options.has("g") ? [] : [user]), ...(hasGroup ? [user] : [])].join(" ");
      const when = options.has("full-time") ? timestampOf(stat.mtimeMs) : time(stat.mtimeMs);
      return `${permissionsOf(stat)} 1 ${owner} ${size} ${when} ${named[at]}${link}\n`;
    })
    .join("");
}

function commaSeparated(names: readonly string[]): string {
  let [text, length] = ["", 0];
  names.forEach((name, at) => {
    const part = at === names.length - 1 ? name : `${name},`;
    const isBroken = length > 0 && length + 1 + part.length >= 80;
    text += length === 0 ? part : isBroken ? `\n${part}` : ` ${part}`;
    length = isBroken || length === 0 ? part.length : length + 1 + part.length;
  });
  return text === "" ? "" : `${text}\n`;
}

/** Arranges names in the fewest rows that fit the width, filled column by column. */
function inColumns(names: readonly string[], width: number, isByRow: boolean): string {
  for (let rows = 1; rows <= names.length; rows++) {
    const count = Math.ceil(names.length / rows);
    const cell = (row: number, column: number): string | undefined =>
      names[isByRow ? row * count + column : column * rows + row];
    const widths = Array.from({ length: count }, (_, column) =>
      greatest(Array.from({ length: rows }, (_row, row) => cell(row, column)?.length ?? 0)),
    );
    const total = widths.reduce((sum, one) => sum + one + 2, -2);
    if (total > width && rows < names.length) continue;
    const lines = Array.from({ length: rows }, (_, row) =>
      widths
        .map((one, column) => (cell(row, column) ?? "").padEnd(one + 2))
        .join("")
        .trimEnd(),
    );
    return lines.map((line) => `${line}\n`).join("");
  }
  return "";
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
