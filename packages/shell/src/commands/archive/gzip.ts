import { concatBytes, errorMessage } from "@robota/runtime/ports";
import { compress, decompress } from "@robota/runtime/virtual";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

const SUFFIX = ".gz";
/** Exit code for files that were skipped. */
const WARNING = 2;

/** `gzip` and its other names, with the host's own compression. */
function gzipNamed(name: string): ShellCommand {
  return {
    name,
    async run(args, context) {
      const { options, operands } = parseArguments(args, {
        flags: "cdfklnqtv123456789",
        long: {
          stdout: "c",
          decompress: "d",
          force: "f",
          keep: "k",
          "no-name": "n",
          test: "t",
          fast: "1",
          best: "9",
        },
      });
      const isUnpacking = name !== "gzip" || options.has("d") || options.has("t");
      const isPrinting = name === "zcat" || options.has("c") || operands.length === 0;
      const printed: Uint8Array[] = [];
      let [stderr, exitCode] = ["", 0];
      for (const operand of operands.length > 0 ? operands : ["-"]) {
        try {
          if (isUnpacking && !isPrinting && !operand.endsWith(SUFFIX)) {
            stderr += `${name}: ${operand}: unknown suffix -- ignored\n`;
            exitCode = Math.max(exitCode, WARNING);
            continue;
          }
          const content = await readOperand(context, operand);
          const convert = isUnpacking ? decompress : compress;
          const result = await convert(content, "gzip").catch((error: unknown) => {
            throw new Error(`${operand}: ${errorMessage(error)}`, { cause: error });
          });
          if (options.has("t")) continue;
          if (isPrinting || operand === "-") printed.push(result);
          else await replace(context, operand, result, isUnpacking, options.has("k"));
        } catch (error) {
          stderr += `${name}: ${errorMessage(error)}\n`;
          exitCode = 1;
        }
      }
      return { stdout: concatBytes(printed), stderr, exitCode };
    },
  };
}

async function replace(
  { fs, resolve }: ShellCommandContext,
  operand: string,
  content: Uint8Array,
  isUnpacking: boolean,
  isKept: boolean,
): Promise<void> {
  if (isUnpacking !== operand.endsWith(SUFFIX)) {
    throw new Error(`${operand}: ${isUnpacking ? "unknown" : "already has .gz"} suffix`);
  }
  const path = resolve(operand);
  await fs.writeFile(isUnpacking ? path.slice(0, -SUFFIX.length) : path + SUFFIX, content);
  if (!isKept) await fs.remove(path);
}

export const gzip = gzipNamed("gzip");
export const gunzip = gzipNamed("gunzip");
export const zcat = gzipNamed("zcat");
