import type { ShellCommand } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const base32: ShellCommand = {
  name: "base32",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "di",
      valued: "w",
      long: { decode: "d", wrap: "w", "ignore-garbage": "i" },
    });
    const bytes = await readOperand(context, operands[0] ?? "-");
    if (options.has("d")) return { stdout: decode32(new TextDecoder().decode(bytes)) };
    let [text, buffer, bits] = ["", 0, 0];
    for (const byte of bytes) {
      buffer = (buffer << 8) | byte;
      for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(buffer >> (bits - 5)) & 31];
      buffer &= 255;
    }
    if (bits > 0) text += BASE32[(buffer << (5 - bits)) & 31];
    text = text.padEnd(Math.ceil(text.length / 8) * 8, "=");
    const width = Number(options.get("w") ?? 76);
    if (width === 0) return { stdout: text };
    return { stdout: text.replace(new RegExp(`.{1,${width}}`, "g"), "$&\n") };
  },
};

function decode32(text: string): Uint8Array {
  const bytes: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const letter of text.replace(/[\s=]+/g, "")) {
    const value = BASE32.indexOf(letter);
    if (value === -1) throw new Error("invalid input");
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
    buffer &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}
