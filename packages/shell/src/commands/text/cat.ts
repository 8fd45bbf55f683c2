import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";
import { createPrinter, inputOf } from "../streams.ts";

/** Options by the letters that they stand for. */
const MEANINGS: Readonly<Record<string, string>> = { A: "vET", e: "vE", t: "vT" };

/** Prints files and its input, as it arrives: `-A -b -e -E -n -s -t -T -u -v`. */
export const cat: ShellCommand = {
  name: "cat",
  async run(args, context) {
    const { given, operands } = parseArguments(args, {
      flags: "AbeEnstTuv",
      valued: "",
      long: {
        "show-all": "A",
        "number-nonblank": "b",
        "show-ends": "E",
        number: "n",
        "squeeze-blank": "s",
        "show-tabs": "T",
        "show-nonprinting": "v",
      },
    });
    const letters = given.map(([letter]) => MEANINGS[letter] ?? letter).join("");
    const show = /[^u]/.test(letters) ? formatter(letters) : undefined;
    const printer = createPrinter(context);
    const ended = await forEachOperand("cat", operands, async (operand) => {
      const next = partsOf(context, operand);
      let isChecked = false;
      for (let part = await next(); part; part = await next()) {
        // Of a file that has nothing left, none is printed to itself.
        if (!isChecked && part.length > 0 && (await isOutput(context, operand)))
          throw new Error(`${operand}: input file is output file`);
        isChecked ||= part.length > 0;
        await printer.print(show ? show(part) : part);
        await context.pace();
      }
    });
    return { stdout: printer.rest(), ...ended };
  },
};

function partsOf(
  context: ShellCommandContext,
  operand: string,
): () => Promise<Uint8Array | undefined> {
  if (operand === "-") return inputOf(context);
  let isRead = false;
  return async () => {
    if (isRead) return undefined;
    isRead = true;
    return readOperand(context, operand);
  };
}

/** Reports whether an operand is the file that the output goes to, which would grow without end. */
async function isOutput(context: ShellCommandContext, operand: string): Promise<boolean> {
  const { fs, inputPath, outputPath, resolve } = context;
  if (outputPath === undefined) return false;
  const isInput = operand === "-" || /^\/dev\/(?:stdin|fd\/0)$/.test(resolve(operand));
  const path = isInput ? inputPath : resolve(operand);
  if (path === undefined) return false;
  const [read, written] = await Promise.all(
    [path, outputPath].map((each) => fs.realpath(each).catch(() => each)),
  );
  if (read !== written) return false;
  // One that was emptied meanwhile, as by `cat < file > file`, does not grow.
  return (await fs.stat(path)).size > 0;
}

/** Adds what the options show; lines go on from part to part, as from file to file. */
function formatter(letters: string): (part: Uint8Array) => Uint8Array {
  const [numbersAll, numbersFilled, squeezes] = ["n", "b", "s"].map((each) =>
    letters.includes(each),
  );
  let [number, blanks, isStart] = [0, 0, true];
  return (part) => {
    const lines = toByteString(part).split("\n");
    let text = "";
    lines.forEach((line, at) => {
      const isLast = at === lines.length - 1;
      if (isLast && line === "") return;
      const isBlank = isStart && line === "" && !isLast;
      blanks = isBlank ? blanks + 1 : 0;
      if (squeezes && blanks > 1) return;
      const isNumbered = isStart && (numbersFilled ? !isBlank : numbersAll);
      if (isNumbered) text += `${String(++number).padStart(6)}\t`;
      text += shown(line, letters) + (isLast ? "" : letters.includes("E") ? "$\n" : "\n");
      isStart = !isLast;
    });
    return fromByteString(text);
  };
}

/** A line with its invisible characters as `^X` and `M-X`. */
function shown(line: string, letters: string): string {
  const tabbed = letters.includes("T") ? line.replaceAll("\t", "^I") : line;
  if (!letters.includes("v")) return tabbed;
  // oxlint-disable-next-line no-control-regex
  return tabbed.replace(/[\0-\x08\x0b-\x1f\x7f-\xff]/g, (character) => {
    const code = character.charCodeAt(0);
    const low = code & 0x7f;
    const name =
      low < 32
        ? `^${String.fromCharCode(low + 64)}`
        : low === 127
          ? "^?"
          : String.fromCharCode(low);
    return code > 127 ? `M-${name}` : name;
  });
}
