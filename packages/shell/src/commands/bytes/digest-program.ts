import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";

type Options = ReadonlyMap<string, string>;

/** A digest: the name that `--tag` writes, and the digest of bytes. */
export interface Digest {
  readonly tag: string;
  of(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A program that prints digests of files, or checks them: `-b -c -t -w -z`, `--quiet`, `--status`, `--strict`, `--tag`. */
export function digestProgram(name: string, digest: Digest): ShellCommand {
  return {
    name,
    async run(args, context) {
      const { options, operands } = parseArguments(args, {
        flags: "bctwz",
        long: {
          binary: "b",
          check: "c",
          "ignore-missing": "ignore-missing",
          quiet: "quiet",
          status: "status",
          strict: "strict",
          tag: "tag",
          text: "t",
          warn: "w",
          zero: "z",
        },
      });
      const task = { name, digest, options, context };
      return options.has("c") ? checkDigests(task, operands) : printDigests(task, operands);
    },
  };
}

interface Task {
  readonly name: string;
  readonly digest: Digest;
  readonly options: Options;
  readonly context: ShellCommandContext;
}

async function printDigests(
  { name, digest, options, context }: Task,
  operands: readonly string[],
): Promise<ShellCommandResult> {
  const end = options.has("z") ? "\0" : "\n";
  let stdout = "";
  const failed = await forEachOperand(name, operands, async (operand) => {
    const hex = hexOf(await digest.of(await readOperand(context, operand)));
    stdout += options.has("tag")
      ? `${digest.tag} (${operand}) = ${hex}${end}`
      : `${hex} ${options.has("b") ? "*" : " "}${operand}${end}`;
  });
  return { stdout, ...failed };
}

async function checkDigests(
  { name, digest, options, context }: Task,
  operands: readonly string[],
): Promise<ShellCommandResult> {
  let [bad, unread, wrong, known, stdout, stderr] = [0, 0, 0, 0, "", ""];
  const isSilent = options.has("status");
  const failed = await forEachOperand(name, operands, async (operand) => {
    for (const line of (await readTextOperand(context, operand)).split("\n")) {
      if (line === "") continue;
      const { wanted, path } = entryOf(line);
      if (path === undefined) {
        wrong += 1;
        continue;
      }
      known += 1;
      const bytes = await readOperand(context, path).catch(() => undefined);
      if (!bytes && options.has("ignore-missing")) continue;
      const isSame = bytes !== undefined && hexOf(await digest.of(bytes)) === wanted;
      if (!bytes) {
        unread += 1;
        stderr += `${name}: ${path}: No such file or directory\n`;
      } else if (!isSame) bad += 1;
      const word = isSame ? "OK" : bytes ? "FAILED" : "FAILED open or read";
      if (!isSilent && !(isSame && options.has("quiet"))) stdout += `${path}: ${word}\n`;
    }
    if (known === 0) throw new Error(`${operand}: no properly formatted checksum lines found`);
  });
  const warn = (count: number, one: string, many: string): void => {
    if (count > 0 && !isSilent)
      stderr += `${name}: WARNING: ${count} ${count === 1 ? one : many}\n`;
  };
  if (known > 0) warn(wrong, "line is improperly formatted", "lines are improperly formatted");
  warn(unread, "listed file could not be read", "listed files could not be read");
  warn(bad, "computed checksum did NOT match", "computed checksums did NOT match");
  const isFailed = bad + unread > 0 || (options.has("strict") && wrong > 0);
  return { stdout, stderr: failed.stderr + stderr, exitCode: isFailed ? 1 : failed.exitCode };
}

interface Entry {
  readonly wanted?: string | undefined;
  readonly path?: string | undefined;
}

/** The digest and the path of a line, in either form. */
function entryOf(line: string): Entry {
  const [, plain, name] = /^\\?([\da-f]+) [ *](.+)$/i.exec(line) ?? [];
  if (plain !== undefined) return { wanted: plain.toLowerCase(), path: name };
  const [, path, tagged] = /^[A-Z\d]+ \((.+)\) = ([\da-f]+)$/i.exec(line) ?? [];
  return { wanted: tagged?.toLowerCase(), path };
}
