import type { ShellCommand } from "../../command.ts";
import { decodeByteString, fromByteString, toByteString } from "../../bytes.ts";
import { encodeText } from "@robota/runtime/ports";
import { parseArguments } from "../arguments.ts";
import { forEachOperand, readByteString } from "../byte-lines.ts";
import { compilePattern } from "../search/pattern.ts";
import { createPrinter } from "../streams.ts";

type Place = readonly [start: number, end: number];

/** Prints files from their last line to the first: `-b`, `-r`, `-s SEPARATOR`. */
export const tac: ShellCommand = {
  name: "tac",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "br",
      valued: "s",
      long: { before: "b", regex: "r", separator: "s" },
    });
    const separator = options.get("s") ?? "\n";
    if (separator === "") throw new Error("separator cannot be empty");
    const printer = createPrinter(context);
    const failed = await forEachOperand("tac", operands, async (operand) => {
      const text = await readByteString(context, operand);
      const places = options.has("r")
        ? await matchesOf(text, separator)
        : literalPlaces(text, toByteString(encodeText(separator)));
      let end = text.length;
      for (const place of places.toReversed()) {
        const start = options.has("b") ? place[0] : place[1];
        if (start < end) {
          const turn = context.pace();
          if (turn) await turn;
          await printer.print(fromByteString(text.slice(start, end)));
        }
        end = start;
      }
      if (end > 0) await printer.print(fromByteString(text.slice(0, end)));
    });
    return { stdout: printer.rest(), ...failed };
  },
};

function literalPlaces(text: string, separator: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) {
    const end = at + separator.length;
    if (at >= (places.at(-1)?.[1] ?? 0)) places.push([at, end]);
  }
  return places;
}

async function matchesOf(text: string, source: string): Promise<Place[]> {
  const pattern = await compilePattern([source], { dialect: "basic" });
  const decoded = decodeByteString(text);
  // Positions in text with other than ASCII characters are those of its bytes only by counting.
  const isAscii = decoded.length === text.length;
  const places: Place[] = [];
  // As in a search from the end, a match may begin anywhere, and ends where the one behind it begins.
  for (let at = 0; at <= decoded.length;) {
    const match = pattern.find(decoded, at);
    if (!match) break;
    const [start = 0, end = 0] = isAscii
      ? [match.start, match.end]
      : [match.start, match.end].map((index) => encodeText(decoded.slice(0, index)).length);
    const last = places.at(-1);
    if (last && last[1] > start) places[places.length - 1] = [last[0], start];
    if (match.end > match.start) places.push([start, end]);
    at = match.start + 1;
  }
  return places;
}
