import { type FileStat, basename, dirname } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { explain } from "../arguments.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";
import type { Ancestor } from "../link-cycles.ts";
import { inodeOf } from "../files/stat.ts";
import { patternToRegExp } from "../shell-pattern.ts";

export interface Item {
  /** The printed name: the starting point and the path below it. */
  name: string;
  root: string;
  path: string;
  depth: number;
  stat: FileStat;
  /** Chain of parent directories, when links are followed. */
  parent?: Ancestor | undefined;
}

export type Test = (item: Item, walk: Walk) => boolean | Promise<boolean>;

export interface Batch {
  words: readonly string[];
  /** Batches by working directory; each directory has its own for `-execdir`. */
  names: string[];
}

export interface Walk {
  context: ShellCommandContext;
  output: string[];
  stderr: string;
  exitCode: number;
  isPruned: boolean;
  hasQuit: boolean;
  batches: Batch[];
}

export interface Plan {
  test: Test;
  batches: Batch[];
  hasAction: boolean;
  isDeep: boolean;
  isFollowed: boolean;
  from: number;
  to: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses `+3`, `-3` and `3`. */
function comparison(text: string): (value: number) => boolean {
  const amount = Number(text.replace(/^[+-]/, ""));
  if (Number.isNaN(amount)) throw new Error(`invalid argument \`${text}'`);
  if (text.startsWith("+")) return (value) => value > amount;
  return text.startsWith("-") ? (value) => value < amount : (value) => value === amount;
}

const typeLetters: Record<string, string> = { f: "file", d: "directory", l: "symlink" };
const sizeUnits: Record<string, number> = {
  c: 1,
  w: 2,
  b: 512,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
};

/** Creates the test of a predicate. */
export async function testOf(
  name: string,
  next: (name: string) => string,
  context: ShellCommandContext,
): Promise<Test> {
  switch (name) {
    case "-name":
    case "-iname":
      return globTest(name, next(name), (item) =>
        item.depth === 0 ? basename(item.name.replace(/(.)\/+$/, "$1")) : basename(item.path),
      );
    case "-path":
    case "-ipath":
    case "-wholename":
    case "-iwholename":
      return globTest(name, next(name), (item) => item.name);
    case "-type":
    case "-xtype":
      return typeTest(name, next(name));
    case "-empty":
      return async ({ stat, path }) =>
        stat.type === "file"
          ? stat.size === 0
          : stat.type === "directory" && (await context.fs.readdir(path)).length === 0;
    case "-size":
      return sizeTest(next(name));
    case "-mtime":
    case "-atime":
    case "-ctime":
    case "-mmin":
    case "-amin":
    case "-cmin":
      return ageTest(name, next(name));
    case "-newer":
    case "-anewer":
    case "-cnewer":
      return newerTest(next(name), context);
    case "-newermt":
      return newerDateTest(next(name), context);
    case "-perm":
      return permissionTest(next(name));
    case "-executable":
      return ({ stat }) => stat.type === "directory" || (stat.mode & 0o111) !== 0;
    case "-readable":
    case "-writable":
      return ({ stat }) => (stat.mode & (name === "-readable" ? 0o444 : 0o222)) !== 0;
    case "-samefile":
      return sameFileTest(next(name), context);
    case "-links":
    case "-inum":
    case "-user":
    case "-group":
    case "-uid":
    case "-gid":
    case "-fstype":
      next(name);
      return () => true;
    case "-nouser":
    case "-nogroup":
    case "-false":
      return () => false;
    case "-true":
    case "-depth":
    case "-d":
    case "-mount":
    case "-xdev":
    case "-follow":
    case "-noleaf":
    case "-daystart":
    case "-nowarn":
    case "-warn":
    case "-ignore_readdir_race":
      return () => true;
    default:
      throw new Error(`unknown predicate \`${name}'`);
  }
}

function globTest(name: string, source: string, textOfItem: (item: Item) => string): Test {
  const pattern = patternToRegExp(source);
  const matcher = name.startsWith("-i") ? new RegExp(pattern.source, "is") : pattern;
  return (item) => matcher.test(textOfItem(item));
}

function typeTest(name: string, letters: string): Test {
  const types = letters.split(",").map((letter) => {
    const type = typeLetters[letter];
    if (type === undefined && !/^[bcps]$/.test(letter))
      throw new Error(`Unknown argument to ${name}: ${letter}`);
    return type ?? "none";
  });
  return ({ stat }) => types.includes(stat.type);
}

function sizeTest(text: string): Test {
  const [, amount = "", unit = "b"] = /^([+-]?\d+)([cwbkMG]?)$/.exec(text) ?? [];
  if (amount === "") throw new Error("invalid -size");
  const size = sizeUnits[unit || "b"] ?? 512;
  const compare = comparison(amount);
  return ({ stat }) => compare(Math.ceil(stat.size / size));
}

function ageTest(name: string, text: string): Test {
  const compare = comparison(text);
  const unit = name.endsWith("time") ? DAY_MS : 60_000;
  const now = Date.now();
  return ({ stat }) => {
    const age = (now - stat.mtimeMs) / unit;
    return compare(name.endsWith("time") ? Math.floor(age) : Math.ceil(age));
  };
}

async function sameFileTest(path: string, { fs, resolve }: ShellCommandContext): Promise<Test> {
  const wanted = resolve(path);
  await fs.lstat(wanted).catch((error: unknown) => {
    throw new Error(`'${wanted}': ${explain(error)}`, { cause: error });
  });
  return (item) => item.path === wanted;
}

async function newerTest(path: string, { fs, resolve }: ShellCommandContext): Promise<Test> {
  const reference = await fs.stat(resolve(path)).catch((error: unknown) => {
    throw new Error(`'${path}': ${explain(error)}`, { cause: error });
  });
  return ({ stat }) => stat.mtimeMs > reference.mtimeMs;
}

async function newerDateTest(date: string, { run }: ShellCommandContext): Promise<Test> {
  const { stdout, exitCode } = await run("date", ["-d", date, "+%s"]);
  if (exitCode !== 0) throw new Error("I cannot figure out how to interpret the date of -newermt");
  const limit =
    Number(typeof stdout === "string" ? stdout : new TextDecoder().decode(stdout)) * 1000;
  return ({ stat }) => stat.mtimeMs > limit;
}

function permissionTest(text: string): Test {
  const [, sign = "", mode = ""] = /^([-/]?)(.+)$/.exec(text) ?? [];
  const bits = /^[0-7]+$/.test(mode) ? Number.parseInt(mode, 8) : symbolicBits(mode);
  return ({ stat }) => {
    const own = stat.mode & 0o7777;
    if (sign === "-") return (own & bits) === bits;
    return sign === "/" ? bits === 0 || (own & bits) !== 0 : own === bits;
  };
}

function symbolicBits(mode: string): number {
  let bits = 0;
  for (const clause of mode.split(",")) {
    const [, who = "", rights = ""] = /^([ugoa]*)[+=]([rwx]+)$/.exec(clause) ?? [];
    if (rights === "") throw new Error(`invalid mode '${mode}'`);
    const value = Array.from(rights, (right) => ({ r: 4, w: 2, x: 1 })[right] ?? 0).reduce(
      (sum, bit) => sum | bit,
      0,
    );
    for (const one of who === "" || who.includes("a") ? "ugo" : who) {
      bits |= value << ({ u: 6, g: 3, o: 0 }[one] ?? 0);
    }
  }
  return bits;
}

/** Formats a time like `Tue Jan  2 03:04:05.0000000000 2024`. */
function namedTimeOf(mtimeMs: number, part: string): string {
  const [weekday, day = "", month, year, time] = new Date(mtimeMs).toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time}.${part} ${year}`;
}

/** Formats a file for `-printf`. */
export async function formatted(
  format: string,
  item: Item,
  { fs }: ShellCommandContext,
): Promise<string> {
  const { name, root, path, stat, depth } = item;
  const target = format.includes("%l") && stat.type === "symlink" ? await fs.readlink(path) : "";
  const time = timestampOf(stat.mtimeMs);
  const below = name.slice(root.length).replace(/^\//, "");
  const seconds = (stat.mtimeMs / 1000).toFixed(10);
  const milliseconds = Math.floor(((stat.mtimeMs % 1000) + 1000) % 1000);
  const part = `${String(milliseconds).padStart(3, "0")}0000000`;
  const times: Record<string, string> = {
    "@": seconds,
    Y: time.slice(0, 4),
    m: time.slice(5, 7),
    d: time.slice(8, 10),
    H: time.slice(11, 13),
    M: time.slice(14, 16),
    S: `${time.slice(17, 19)}.${part}`,
    T: `${time.slice(11, 19)}.${part}`,
    F: time.slice(0, 10),
    "+": `${time.slice(0, 10)}+${time.slice(11, 19)}.${part}`,
  };
  const facts: Record<string, string> = {
    p: name,
    f: basename(name),
    h: name.includes("/") ? dirname(name) : ".",
    P: below,
    H: root,
    s: String(stat.size),
    d: String(depth),
    m: (stat.mode & 0o7777).toString(8),
    M: permissionsOf(stat),
    y: { file: "f", directory: "d", symlink: "l" }[stat.type],
    l: target,
    t: namedTimeOf(stat.mtimeMs, part),
    u: "user",
    g: "user",
    U: "1000",
    G: "1000",
    i: String(inodeOf(path)),
    n: "1",
    k: String(Math.ceil(stat.size / 1024)),
    b: String(Math.ceil(stat.size / 512)),
    "%": "%",
  };
  return format.replace(
    /\\([nt0\\])|%[TAC](.)|%(-?\d*)(?:\.(\d+))?(.)/g,
    (whole, escape?: string, unit?: string, width = "", most?: string, letter = "") => {
      if (escape !== undefined) return { n: "\n", t: "\t", "0": "\0", "\\": "\\" }[escape] ?? whole;
      if (unit !== undefined) return times[unit] ?? whole;
      const text = facts[letter]?.slice(0, most === undefined ? undefined : Number(most));
      if (text === undefined) return whole;
      return width.startsWith("-") ? text.padEnd(-Number(width)) : text.padStart(Number(width));
    },
  );
}
