import type { ShellCommand } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";

const BYTES_PER_LOOK = 4096;

/** POSIX's CRC, which differs from the one of zip. */
export const cksum: ShellCommand = {
  name: "cksum",
  async run(args, context) {
    const { operands } = parseArguments(args, {});
    let stdout = "";
    const failed = await forEachOperand("cksum", operands, async (operand) => {
      const bytes = await readOperand(context, operand);
      let [crc, steps] = [0, 0];
      const feed = (byte: number): void => {
        crc ^= byte << 24;
        for (let bit = 0; bit < 8; bit++)
          crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
      };
      for (const byte of bytes) {
        feed(byte);
        steps += 1;
        if (steps % BYTES_PER_LOOK !== 0) continue;
        const turn = context.pace(BYTES_PER_LOOK);
        if (turn) await turn;
      }
      for (let length = bytes.length; length > 0; length = Math.floor(length / 256))
        feed(length & 255);
      const name = operands.length === 0 ? "" : ` ${operand}`;
      stdout += `${~crc >>> 0} ${bytes.length}${name}\n`;
    });
    return { stdout, ...failed };
  },
};
