import { type FileStat, normalizePath } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";

const kinds = { file: "regular file", directory: "directory", symlink: "symbolic link" };

/** Maximum width to pad a value to. */
const MAX_WIDTH = 100_000;

/** Owners, inodes and blocks are invented, since files here have none. */
export const stat: ShellCommand = {
  name: "stat",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "Lft",
      valued: "c",
      long: { dereference: "L", format: "c", printf: "printf", "file-system": "f", terse: "t" },
    });
    if (operands.length === 0) throw new Error("missing operand");
    const printf = options.get("printf");
    const format = options.get("c") ?? (printf === undefined ? undefined : unescaped(printf));
    const end = printf === undefined ? "\n" : "";
    let [stdout, stderr] = ["", ""];
    for (const operand of operands) {
      try {
        stdout += options.has("f")
          ? fileSystemFacts(operand, format)
          : await describe(context, operand, options.has("L"), format);
        if (format !== undefined) stdout += end;
      } catch (error) {
        stderr += `stat: cannot statx '${operand}': ${explain(error)}\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

function unescaped(text: string): string {
  return text.replace(/\\([nt\\0])/g, (_whole, letter: string) =>
    letter === "n" ? "\n" : letter === "t" ? "\t" : letter === "0" ? "\0" : "\\",
  );
}

function fileSystemFacts(operand: string, format = '  File: "%n"\n    Type: %T\n'): string {
  return format.replace(/%(.)/g, (whole, letter: string) =>
    letter === "n" ? operand : letter === "T" ? "virtual" : letter === "S" ? "4096" : whole,
  );
}

async function describe(
  { fs, resolve }: ShellCommandContext,
  operand: string,
  isFollowed: boolean,
  format: string | undefined,
): Promise<string> {
  const path = resolve(operand);
  const stat = await (isFollowed ? fs.stat(path) : fs.lstat(path));
  const target = stat.type === "symlink" ? await fs.readlink(path) : undefined;
  const facts = factsOf(stat, operand, target, path);
  const whole =
    "  File: %N\n  Size: %s\tBlocks: %b\tIO Block: 4096   %F\n" +
    "Access: (%04a/%A)  Uid: (%u/%U)   Gid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -\n";
  return (format ?? whole.replace("%N", target === undefined ? "%n" : "%n -> %t")).replace(
    /%(0?\d*)([a-zA-Z%])/g,
    (written, width: string, letter: string) => {
      if (letter === "t" && format === undefined) return target ?? "";
      const text = facts[letter] ?? written;
      if (Number(width) > MAX_WIDTH) throw new Error(`a width of ${Number(width)} is too large`);
      return width === "" ? text : text.padStart(Number(width), width.startsWith("0") ? "0" : " ");
    },
  );
}

function factsOf(
  stat: FileStat,
  operand: string,
  target: string | undefined,
  path: string,
): Record<string, string> {
  const seconds = String(Math.floor(stat.mtimeMs / 1000));
  const time = timestampOf(stat.mtimeMs);
  const isEmpty = stat.type === "file" && stat.size === 0;
  return {
    a: (stat.mode & 0o7777).toString(8),
    A: permissionsOf(stat),
    b: String(Math.ceil(stat.size / 4096) * 8),
    B: "512",
    d: "1",
    f: (
      { file: 0o100000, directory: 0o040000, symlink: 0o120000 }[stat.type] |
      (stat.mode & 0o7777)
    ).toString(16),
    F: isEmpty ? "regular empty file" : kinds[stat.type],
    g: "1000",
    G: "user",
    h: "1",
    i: String(inodeOf(path)),
    m: "/",
    n: operand,
    N: target === undefined ? `'${operand}'` : `'${operand}' -> '${target}'`,
    o: "4096",
    s: String(stat.size),
    u: "1000",
    U: "user",
    w: "-",
    W: "0",
    X: seconds,
    x: time,
    Y: seconds,
    y: time,
    Z: seconds,
    z: time,
    "%": "%",
  };
}

/** A stable number for the path, for scripts that compare inodes. */
export function inodeOf(path: string): number {
  let hash = 7;
  for (const character of normalizePath(path)) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return hash || 1;
}
