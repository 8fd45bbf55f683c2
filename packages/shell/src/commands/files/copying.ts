import { type FileStat, basename } from "@robota/runtime/ports";
import type { ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { explain, type Arguments } from "../arguments.ts";

type Options = Arguments["options"];

export interface Task {
  context: ShellCommandContext;
  options: Options;
  report: string[];
  /** Errors within a tree that did not stop the operation. */
  complaints: string[];
}

export async function lstat(
  { fs }: ShellCommandContext,
  path: string,
): Promise<FileStat | undefined> {
  return fs.lstat(path).catch(() => undefined);
}

export async function isDirectory({ fs }: ShellCommandContext, path: string): Promise<boolean> {
  return fs.stat(path).then(
    ({ type }) => type === "directory",
    () => false,
  );
}

/** Takes the last operand, or `-t`, as the destination, and runs `each` with the resulting name of each source. */
export async function toTarget(
  program: string,
  { context, options, report, complaints }: Task,
  operands: readonly string[],
  each: (source: string, target: string) => Promise<void>,
): Promise<ShellCommandResult> {
  const sources = [...operands];
  const target = options.get("t") ?? sources.pop();
  if (target === undefined) throw new Error("missing file operand");
  if (sources.length === 0) throw new Error(`missing destination file operand after '${target}'`);
  const isInto = !options.has("T") && (await isDirectory(context, context.resolve(target)));
  if (!isInto && (sources.length > 1 || options.has("t") || options.has("parents"))) {
    throw new Error(`target '${target}' is not a directory`);
  }
  let stderr = "";
  for (const source of sources) {
    const name = options.has("parents") ? source : basename(context.resolve(source));
    // `src/.` stands for the content of the directory.
    const isContent = /(?:^|\/)\.$/.test(source);
    const place =
      isInto && !isContent
        ? `${target.replace(/\/$/, "")}/${name}`
        : target.replace(/(.)\/+$/, "$1");
    try {
      await each(source, place);
    } catch (error) {
      const reason =
        error instanceof Complaint ? error.message : `cannot stat '${source}': ${explain(error)}`;
      stderr += `${program}: ${reason}\n`;
    }
  }
  stderr += complaints.map((complaint) => `${program}: ${complaint}\n`).join("");
  return { stdout: report.join(""), stderr, exitCode: stderr === "" ? 0 : 1 };
}

export class Complaint extends Error {}
