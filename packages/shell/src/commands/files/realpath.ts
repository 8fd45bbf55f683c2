import {
  basename,
  dirname,
  FileSystemError,
  normalizePath,
  resolvePath,
} from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";

export const realpath: ShellCommand = {
  name: "realpath",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "emsLPqz",
      long: {
        "canonicalize-existing": "e",
        "canonicalize-missing": "m",
        strip: "s",
        "no-symlinks": "s",
        quiet: "q",
        "relative-to": "relative-to",
      },
    });
    if (operands.length === 0) throw new Error("missing operand");
    const base = options.get("relative-to");
    const from = base === undefined ? undefined : await resolveTo(context, base, options);
    let [stdout, stderr] = ["", ""];
    for (const operand of operands) {
      try {
        const path = await resolveTo(context, operand, options);
        stdout += `${from === undefined ? path : relativePath(from, path)}\n`;
      } catch (error) {
        stderr += `realpath: ${operand}: ${explain(error)}\n`;
      }
    }
    return { stdout, stderr: options.has("q") ? "" : stderr, exitCode: stderr ? 1 : 0 };
  },
};

/**
 * The canonical path. Options `e` and `m`: all parts must exist, or none need; without them the last need not. `s` leaves
 * links as they are.
 */
export async function resolveTo(
  files: Pick<ShellCommandContext, "fs" | "resolve">,
  path: string,
  options: ReadonlyMap<string, string>,
): Promise<string> {
  const { fs } = files;
  const absolute = files.resolve(path);
  if (options.has("s")) return absolute;
  try {
    return await fs.realpath(absolute);
  } catch (error) {
    // Without -e the last segment need not exist; with -m none need.
    const code = error instanceof FileSystemError ? error.code : undefined;
    const isMissing = code === "ENOENT" || (options.has("m") && code === "ENOTDIR");
    if (options.has("e") || absolute === "/" || !isMissing) throw error;
    const parent = dirname(absolute);
    const real = options.has("m")
      ? await resolveTo(files, parent, options)
      : await fs.realpath(parent);
    const place = normalizePath(`${real}/${basename(absolute)}`);
    const target = await fs.readlink(place).catch(() => undefined);
    // A link to nothing; links in a circle are another error.
    return target === undefined ? place : resolveTo(files, resolvePath(real, target), options);
  }
}

/** The path of `to` as seen from the directory `from`; both are canonical. */
export function relativePath(from: string, to: string): string {
  const [base, path] = [from, to].map((text) => text.split("/").filter(Boolean));
  if (!base || !path) return to;
  let common = 0;
  while (common < base.length && base[common] === path[common]) common += 1;
  return [...base.slice(common).map(() => ".."), ...path.slice(common)].join("/") || ".";
}
