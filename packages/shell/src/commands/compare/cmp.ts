import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

const NEWLINE = 10;
/** Digits of the largest possible position. */
const UNKNOWN_WIDTH = 19;

/** Compares two files byte by byte. */
export const cmp: ShellCommand = {
  name: "cmp",
  async run(args, context) {
    try {
      const { options, operands } = parseArguments(args, {
        flags: "slb",
        valued: "n",
        long: { silent: "s", quiet: "s", verbose: "l", bytes: "n" },
      });
      const [first, second = "-"] = operands;
      if (first === undefined) throw new Error("missing operand");
      const limit = Number(options.get("n") ?? Number.POSITIVE_INFINITY);
      const one = (await readOperand(context, first)).subarray(0, limit);
      const other = (await readOperand(context, second)).subarray(0, limit);
      return compare([first, one], [second, other], options);
    } catch (error) {
      return { stderr: `cmp: ${errorMessage(error)}\n`, exitCode: 2 };
    }
  },
};

function compare(
  [firstName, first]: readonly [string, Uint8Array],
  [secondName, second]: readonly [string, Uint8Array],
  options: ReadonlyMap<string, string>,
): { stdout?: string; stderr?: string; exitCode: number } {
  const shared = Math.min(first.length, second.length);
  const differences: string[] = [];
  const width = widthOf([firstName, first], [secondName, second]);
  let line = 1;
  for (let at = 0; at < shared; at++) {
    if (first[at] !== second[at]) {
      if (options.has("s")) return { exitCode: 1 };
      const octal = (byte = 0): string => byte.toString(8).padStart(3);
      if (!options.has("l")) {
        const where = `byte ${at + 1}, line ${line}`;
        return { stdout: `${firstName} ${secondName} differ: ${where}\n`, exitCode: 1 };
      }
      differences.push(
        `${String(at + 1).padStart(width)} ${octal(first[at])} ${octal(second[at])}\n`,
      );
    }
    if (first[at] === NEWLINE) line += 1;
  }
  const stdout = differences.join("");
  if (first.length === second.length) return { stdout, exitCode: stdout ? 1 : 0 };
  if (options.has("s")) return { exitCode: 1 };
  const shorter = first.length < second.length ? firstName : secondName;
  const isAtLineEnd = first[shared - 1] === NEWLINE;
  const where = isAtLineEnd ? `, line ${line - 1}` : `, in line ${line}`;
  const place = shared === 0 ? "which is empty" : `after byte ${shared}`;
  const end = options.has("l") || shared === 0 ? "" : where;
  return { stdout, stderr: `cmp: EOF on ${shorter} ${place}${end}\n`, exitCode: 1 };
}

/** The width of a position: that of the last possible one, which is unknown for what is no file of its own. */
function widthOf(...operands: readonly (readonly [string, Uint8Array])[]): number {
  const sizes = operands
    .filter(([name]) => name !== "-" && !name.startsWith("/dev/"))
    .map(([, bytes]) => bytes.length);
  return sizes.length > 0 ? String(Math.min(...sizes)).length : UNKNOWN_WIDTH;
}
