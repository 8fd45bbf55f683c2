import type { ShellCommand } from "../../command.ts";
import { encodeText } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments } from "../arguments.ts";
import { readByteString, splitLines } from "../byte-lines.ts";
import { createPrinter } from "../streams.ts";
import { checksOf, createOrderWatch } from "./order.ts";

const LINES_PER_PART = 1_024;

/** Compares two sorted files line by line: `-1`, `-2`, `-3`, `--output-delimiter`, `--total`, `-z`. */
export const comm: ShellCommand = {
  name: "comm",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "123z",
      long: {
        "check-order": "check-order",
        "nocheck-order": "nocheck-order",
        "output-delimiter": "output-delimiter",
        total: "total",
        "zero-terminated": "z",
      },
    });
    const [first, second, extra] = operands;
    if (first === undefined) throw new Error("missing operand");
    if (second === undefined) throw new Error(`missing operand after '${first}'`);
    if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
    const end = options.has("z") ? "\0" : "\n";
    const linesOf = async (name: string): Promise<string[]> =>
      splitLines(await readByteString(context, name), end);
    const sides = [await linesOf(first), await linesOf(second)] as const;
    const delimiter = toByteString(encodeText(options.get("output-delimiter") ?? "\t"));
    const watch = createOrderWatch(checksOf(options));
    const printer = createPrinter(context);
    const total = [0, 0, 0];
    let [stderr, hasUnpaired] = ["", false];
    const at: [number, number] = [0, 0];
    const advance = (input: 0 | 1): void => {
      const line = sides[input][at[input]] ?? "";
      at[input] += 1;
      const next = sides[input][at[input]];
      const complaint = watch.note(input, next === undefined || line <= next, hasUnpaired);
      if (complaint !== undefined) stderr += `comm: ${complaint}\n`;
    };
    const prefixOf = (column: number): string =>
      delimiter.repeat(
        ["1", "2"].slice(0, column).filter((earlier) => !options.has(earlier)).length,
      );
    let output: string[] = [];
    const put = (column: number, line: string): void => {
      total[column] = (total[column] ?? 0) + 1;
      if (!options.has(String(column + 1))) output.push(prefixOf(column) + line + end);
    };
    const flush = async (): Promise<void> => {
      await printer.print(fromByteString(output.join("")));
      output = [];
    };
    while (!(watch.endsAtOnce && watch.hasComplained)) {
      const turn = context.pace(0.25);
      if (turn) await turn;
      const [one, other] = [sides[0][at[0]], sides[1][at[1]]];
      if (one === undefined && other === undefined) break;
      if (one !== undefined && one === other) {
        put(2, one);
        advance(0);
        advance(1);
      } else if (other === undefined || (one !== undefined && one < other)) {
        hasUnpaired = true;
        put(0, one ?? "");
        advance(0);
      } else {
        hasUnpaired = true;
        put(1, other);
        advance(1);
      }
      if (output.length >= LINES_PER_PART) await flush();
    }
    const isCut = watch.endsAtOnce && watch.hasComplained;
    if (options.has("total") && !isCut) output.push([...total, `total${end}`].join(delimiter));
    await flush();
    if (watch.hasComplained && !isCut) stderr += "comm: input is not in sorted order\n";
    return { stdout: printer.rest(), stderr, exitCode: watch.hasComplained ? 1 : 0 };
  },
};
